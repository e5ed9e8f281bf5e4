import { State } from '../../ui/page/state.tsx'
import css from './tools.module.css'
import { type Tool, toolWarnings, typesOf } from './words.ts'

/** The types of the warnings of a tool in words, the most serious first. */
export function ToolWarnings({ warnings }: { warnings: Tool['warnings'] }) {
  const types = typesOf(warnings)
  if (types.length === 0) return 'none'
  return (
    <span className={css.warnings}>
      {types.map((type) => (
        <State key={type} {...toolWarnings[type]} />
      ))}
    </span>
  )
}
