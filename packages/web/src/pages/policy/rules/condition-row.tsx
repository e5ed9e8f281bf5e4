import { Button } from '../../../ui/actions/button.tsx'
import { Field, FieldError, SelectField } from '../../../ui/fields/field.tsx'
import type { Condition } from '../document/document.ts'
import css from '../policy.module.css'
import { TypedField } from './typed-field.tsx'
import { readValue, valueText } from './values.ts'

// Only for the choice in the form. The server checks the operator.
const operators = {
  eq: 'is',
  ne: 'is not',
  gt: 'is greater than',
  gte: 'is at least',
  lt: 'is less than',
  lte: 'is at most',
  in: 'is one of',
  not_in: 'is not one of',
  contains: 'contains',
  not_contains: 'does not contain',
  starts_with: 'starts with',
  not_starts_with: 'does not start with',
  under: 'is under the folder',
  not_under: 'is not under the folder',
  exists: 'exists',
  has: 'has the label',
  has_not: 'does not have the label',
} satisfies Record<Condition['op'], string>

const operatorOptions = (Object.keys(operators) as Condition['op'][]).map((value) => ({
  value,
  text: `${value}: ${operators[value]}`,
}))

const absentOptions = [
  { value: 'error' as const, text: 'not decided: fails closed' },
  { value: 'true' as const, text: 'true: the rule may match' },
  { value: 'false' as const, text: 'false: the rule does not match' },
]

interface ConditionRowProps {
  condition: Condition
  number: number
  /** What is wrong at a part of the condition, or at the condition itself. */
  error: (part?: 'path' | 'op' | 'value' | 'absent') => string | undefined
  onChange: (condition: Condition) => void
  onRemove: () => void
  /** Called when the focus leaves a field of the condition. */
  onLeave: () => void
}

/** A condition: where to look, how to compare, and with what. Each error is at its field. */
export function ConditionRow({ condition, number, error, onChange, onRemove, onLeave }: ConditionRowProps) {
  const { op, value, absent, ...rest } = condition
  const parts = { path: error('path'), op: error('op'), value: error('value'), absent: error('absent') }
  const asksAbsent = absent !== undefined || (op !== 'exists' && condition.path.startsWith('args.'))
  const isAtPart = Object.values(parts).some((text) => text !== undefined)
  return (
    <div className={css.condition}>
      <div className={css.parts}>
        <Field
          label={`Path ${number}`}
          value={condition.path}
          onChange={(path) => onChange({ ...condition, path })}
          isMono
          error={parts.path}
          onBlur={onLeave}
        />
        <SelectField
          label={`Operator ${number}`}
          value={op}
          onChange={(next) => onChange({ ...condition, op: next, value: readValue(valueText(value), next) })}
          options={operatorOptions}
          error={parts.op}
          onBlur={onLeave}
        />
        <TypedField
          key={op}
          label={`Value ${number}`}
          value={value}
          read={(text) => readValue(text, op)}
          write={valueText}
          onChange={(next) => onChange({ ...condition, value: next })}
          isMono
          error={parts.value}
          onBlur={onLeave}
        />
        <span className={css.remove}>
          <Button look="icon" name={`Remove condition ${number}`} onPress={onRemove} glyph="close">
            {''}
          </Button>
        </span>
        {asksAbsent && (
          <span className={css.absent}>
            <SelectField
              label={`If absent ${number}`}
              value={absent === undefined ? 'error' : absent ? 'true' : 'false'}
              onChange={(next) =>
                onChange({ ...rest, op, value, ...(next !== 'error' && { absent: next === 'true' }) })
              }
              options={absentOptions}
              error={parts.absent}
              onBlur={onLeave}
            />
          </span>
        )}
      </div>
      <FieldError text={isAtPart ? undefined : error()} />
    </div>
  )
}
