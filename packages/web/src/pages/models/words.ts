import type { Schema } from '@mandate/sdk'
import type { StateLook } from '../../ui/page/state.tsx'
import type { Clause } from '../../ui/texts/sentence.tsx'
import { counted } from '../../words/words.ts'

export type Model = Schema<'Model'>

/** Whether the records of agents name the models that they use. */
export function stateOf({ declared, observed }: Pick<Model, 'declared' | 'observed'>): StateLook {
  if (declared === 0) return { glyph: 'warn', word: 'Used, not declared', tone: 'hold' }
  return observed > 0
    ? { glyph: 'approved', word: 'Declared and used', tone: 'quiet' }
    : { glyph: 'unknown', word: 'Declared, not seen', tone: 'off' }
}

/** Models that agents use and no record names. `models` are all that were read. */
export function clausesOf(models: readonly Model[]): Clause[] {
  const undeclared = models.filter(({ declared, observed }) => declared === 0 && observed > 0).length
  if (undeclared === 0) return []
  const texts = ['Agents use # model that no record names', 'Agents use # models that no record names'] as const
  return [{ text: counted(undeclared, ...texts) }]
}

export const fineOf = (total: number) =>
  total === 0 ? 'No agent declares or uses a model.' : counted(total, '# model is known.', '# models are known.')
