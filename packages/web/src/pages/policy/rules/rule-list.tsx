import { Button } from '../../../ui/actions/button.tsx'
import { State } from '../../../ui/page/state.tsx'
import { effects } from '../../../ui/page/states.ts'
import { Name } from '../../../ui/texts/name.tsx'
import { operatorWords } from '../../../words/condition-words.ts'
import { limitText } from '../../../words/limit-words.ts'
import type { DocumentRule } from '../document/document.ts'
import { stateOf } from '../document/document.ts'
import { type Fault, hasFaultAt } from '../draft/faults.ts'
import css from '../policy.module.css'
import { savedValues, valueText } from './values.ts'
import { ruleName } from './words.ts'

interface RuleListProps {
  rules: readonly DocumentRule[]
  saved: readonly DocumentRule[]
  faults: readonly Fault[]
  /** Index of the rule that is open. */
  open: number | undefined
  onOpen: (index: number | undefined) => void
  /** Index of the rule that was just added, while it is filled in. */
  fresh: number | undefined
}

/** The rules by priority, each as a sentence. */
export function RuleList({ rules, saved, faults, open, onOpen, fresh }: RuleListProps) {
  const sorted = rules.map((rule, index) => ({ rule, index })).sort((a, b) => a.rule.priority - b.rule.priority)
  return (
    <ol className={css.rules}>
      {sorted.map(({ rule, index }) => {
        const state = stateOf(rule, saved)
        const isBad = hasFaultAt(faults, `rules[${index}]`)
        return (
          <li key={rule.id ?? `new-${index}`} className={state === 'same' ? css.rule : `${css.rule} ${css.changed}`}>
            <span className={css.priority}>{rule.priority}</span>
            <State {...effects[rule.effect]} />
            <div className={css.body}>
              <b>
                <Name>{ruleName(rule)}</Name>
              </b>
              {state !== 'same' && <span className={css.badge}>{state}</span>}
              {!rule.enabled && <span className={css.badge}>off</span>}
              {isBad &&
                (index === fresh ? (
                  <State glyph="proposed" word="Not complete yet" tone="hold" />
                ) : (
                  <State glyph="warn" word="Needs a fix" tone="deny" />
                ))}
              <What rule={rule} saved={saved.find(({ id }) => id !== undefined && id === rule.id)} />
            </div>
            <Button
              look="plain"
              name={`${open === index ? 'Close' : 'Edit'} ${ruleName(rule)}`}
              onPress={() => onOpen(open === index ? undefined : index)}
              glyph={open === index ? 'close' : 'edit'}
            >
              {open === index ? 'Close' : 'Edit'}
            </Button>
          </li>
        )
      })}
    </ol>
  )
}

/** Shows when the rule matches. If the draft changes the value of a condition, both the saved and the new value are shown. */
function What({ rule: { match, limit }, saved }: { rule: DocumentRule; saved: DocumentRule | undefined }) {
  const before = savedValues(match.when, saved?.match.when ?? [])
  return (
    <div className={css.what}>
      {match.tools.map((tool) => (
        <code key={tool}>
          <Name>{tool}</Name>
        </code>
      ))}
      {match.when.length === 0 && <span>always</span>}
      {match.when.map(({ path, op, value, absent }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: conditions have no id
        <span key={index}>
          <code>
            <Name>{path}</Name>
          </code>{' '}
          {operatorWords[op] ?? op}{' '}
          {before[index] === undefined ? (
            <code>
              <Name>{valueText(value)}</Name>
            </code>
          ) : (
            <>
              <code>
                <del>
                  <Name>{before[index]}</Name>
                </del>
              </code>{' '}
              <code>
                <ins>
                  <Name>{valueText(value)}</Name>
                </ins>
              </code>
            </>
          )}
          {absent !== undefined && (absent ? ' or absent' : ' and present')}
        </span>
      ))}
      {limit && <span>{limitText(limit)}</span>}
    </div>
  )
}
