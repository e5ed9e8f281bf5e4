import { Copy, shortDigest } from '../../ui/actions/copy.tsx'
import { ForeignFrame, ForeignText, ForeignValues } from '../../ui/texts/foreign-text.tsx'
import { askedBy } from '../../words/condition-words.ts'
import { keptNote } from '../../words/kept-arguments.ts'
import css from './decision.module.css'
import type { Decision, Rule } from './story.ts'

interface KeptProps {
  decision: Decision
  kept: NonNullable<Decision['kept_arguments']>
  /** The rule that decided. */
  rule: Rule | undefined
}

/** Shows the kept arguments of a decision. */
export function Kept({ decision: { args_digest: digest }, kept, rule }: KeptProps) {
  const hitOf = (path: string) => {
    const asked = rule?.match.when.filter((condition) => condition.path === path) ?? []
    return asked.length > 0 ? `the rule asks: ${asked.map(askedBy).join(' and ')}` : undefined
  }
  const values = kept
    .filter(({ state }) => state === 'value')
    .map(({ path, value }) => ({ name: path, value, hit: hitOf(path) }))
  const notes = kept.flatMap((one) => {
    const note = keptNote(one)
    return note === undefined ? [] : { path: one.path, note }
  })
  return (
    <ForeignFrame
      title="Sent by the agent."
      note="The values that conditions of the policy read, kept for replay. Mandate has not checked them."
      aside={<Copy what="digest of the call" value={`sha256:${digest}`} shown={shortDigest(digest)} />}
    >
      {values.length > 0 && <ForeignValues caption="Kept arguments of the call" values={values} />}
      {notes.map(({ path, note }) => (
        <p key={path} className={css.small}>
          <span className="mono">
            <ForeignText text={path} />
          </span>
          : {note}
        </p>
      ))}
    </ForeignFrame>
  )
}
