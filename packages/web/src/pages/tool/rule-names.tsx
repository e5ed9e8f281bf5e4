import type { Schema } from '@mandate/sdk'
import { Fragment } from 'react'
import { Name } from '../../ui/texts/name.tsx'
import { limitText } from '../../words/limit-words.ts'

/** The rules that decide, and what decides otherwise. */
export function RuleNames({
  rules,
  default_may_decide: byDefault,
}: Pick<Schema<'ToolReach'>, 'rules' | 'default_may_decide'>) {
  if (rules.length === 0) return byDefault ? 'the default' : 'no rule: the state of the agent or of the tool'
  return (
    <>
      {rules.length === 1 ? 'the rule ' : 'the rules '}
      {rules.map(({ id, name, limit }, index) => (
        <Fragment key={id}>
          {index > 0 && ', '}“<Name>{name}</Name>”{limit && ` (${limitText(limit)})`}
        </Fragment>
      ))}
      {byDefault && ', otherwise the default'}
    </>
  )
}
