import { useState } from 'react'
import { Button } from '../../../ui/actions/button.tsx'
import { Field, SelectField } from '../../../ui/fields/field.tsx'
import { Panel } from '../../../ui/page/panel.tsx'
import { effects } from '../../../ui/page/states.ts'
import { type Condition, type DocumentRule, hasOldReason } from '../document/document.ts'
import { type Fault, faultAt } from '../draft/faults.ts'
import css from '../policy.module.css'
import { ConditionRow } from './condition-row.tsx'
import { LimitFields } from './limit-fields.tsx'
import { ToolsField } from './tools-field.tsx'
import { TypedField } from './typed-field.tsx'

interface RuleFormProps {
  rules: readonly DocumentRule[]
  /** The rules of the saved version. */
  saved: readonly DocumentRule[]
  /** The place of the rule in the list. */
  index: number
  faults: readonly Fault[]
  /** True for a rule that was just added. Its errors wait until the reader has been at their fields. */
  isFresh: boolean
  onChange: (rule: DocumentRule) => void
  onRemove: () => void
}

export const effectOptions = (Object.keys(effects) as (keyof typeof effects)[]).map((value) => ({
  value,
  text: effects[value].word,
}))

/** One rule as a form. The errors of the server stand at their fields. */
export function RuleForm({ rules, saved, index, faults, isFresh, onChange, onRemove }: RuleFormProps) {
  const rule = rules[index] as DocumentRule
  const { tools, when } = rule.match
  const [seen, setSeen] = useState<ReadonlySet<string>>(
    () => new Set(isFresh ? [] : ['tools', 'limit', ...when.map((_, at) => conditionKey(at))]),
  )
  const leave = (key: string) => setSeen((before) => (before.has(key) ? before : new Set([...before, key])))
  const error = (field: string) => faultAt(faults, `rules[${index}].${field}`, rules)
  const errorOnceSeen = (key: string, field: string) => (seen.has(key) ? error(field) : undefined)
  const change = (part: Partial<DocumentRule>) => onChange({ ...rule, ...part })
  const changeWhen = (conditions: Condition[]) => change({ match: { ...rule.match, when: conditions } })
  return (
    <Panel title={rule.name ? `Rule ${rule.priority}, ${rule.name}` : `Rule ${rule.priority}`}>
      <div className={css.form}>
        <Field
          label="Name"
          value={rule.name}
          onChange={(name) => change({ name })}
          maxLength={200}
          error={error('name')}
          autoFocus
        />
        <TypedField
          label="Priority"
          value={rule.priority}
          read={(text) => (text.trim() === '' ? 0 : Number(text))}
          write={String}
          onChange={(priority) => change({ priority })}
          error={error('priority')}
        />
        <SelectField
          label="Effect"
          value={rule.effect}
          onChange={(effect) => change({ effect, ...(effect !== 'allow' && { limit: undefined }) })}
          options={effectOptions}
          error={error('effect')}
        />
        <div className={css.full}>
          <ToolsField
            tools={tools}
            onChange={(list) => {
              if (list.length > 0) leave('tools')
              change({ match: { ...rule.match, tools: list } })
            }}
            error={errorOnceSeen('tools', 'match.tools')}
            onBlur={() => leave('tools')}
          />
        </div>
        <fieldset className={css.full}>
          <legend className={css.legend}>When</legend>
          {when.length === 0 && <p className={css.note}>Always. Add a condition to look at the call.</p>}
          {when.length > 0 && (
            <p className={css.note}>
              Paths: <code>args.…</code>, <code>agent.name</code>, <code>environment.slug</code>,{' '}
              <code>tool.labels</code>, <code>tool.state</code>, <code>session.labels</code>, <code>session.calls</code>
              . Labels take the operators <code>has</code> and <code>has_not</code>.
            </p>
          )}
          {when.map((condition, at) => (
            <ConditionRow
              // biome-ignore lint/suspicious/noArrayIndexKey: conditions have no id
              key={at}
              condition={condition}
              number={at + 1}
              error={(part) =>
                errorOnceSeen(conditionKey(at), `match.when[${at}]${part === undefined ? '' : `.${part}`}`)
              }
              onLeave={() => leave(conditionKey(at))}
              onChange={(next) => changeWhen(when.map((old, other) => (other === at ? next : old)))}
              onRemove={() => changeWhen(when.filter((_, other) => other !== at))}
            />
          ))}
          <Button onPress={() => changeWhen([...when, { path: 'args.', op: 'eq', value: '' }])}>Add condition</Button>
        </fieldset>
        {rule.effect === 'allow' && (
          <LimitFields
            limit={rule.limit}
            onChange={(limit) => change({ limit })}
            error={(field) => errorOnceSeen('limit', field)}
            onLeave={() => leave('limit')}
          />
        )}
        <div className={css.full}>
          <Field
            label="Reason"
            hint={
              <>
                The agent gets it with a denial, and people who decide a held call see it.
                {hasOldReason(rule, saved) && <strong> The reason was written for another effect.</strong>}
              </>
            }
            value={rule.reason}
            onChange={(reason) => change({ reason })}
            maxLength={2000}
            error={error('reason')}
          />
        </div>
        <div className={`${css.full} ${css.buttons}`}>
          <label className={css.check}>
            <input
              type="checkbox"
              checked={rule.enabled}
              onChange={(event) => change({ enabled: event.target.checked })}
            />
            The rule is on
          </label>
          <Button look="danger" onPress={onRemove}>
            Remove rule
          </Button>
        </div>
      </div>
    </Panel>
  )
}

const conditionKey = (at: number) => `condition ${at}`
