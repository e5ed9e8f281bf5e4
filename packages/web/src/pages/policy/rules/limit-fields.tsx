import { useState } from 'react'
import { Check } from '../../../ui/fields/check.tsx'
import { SelectField } from '../../../ui/fields/field.tsx'
import { type RuleLimit, secondsOf, type WindowUnit, windowParts, windowUnits } from '../../../words/limit-words.ts'
import css from '../policy.module.css'
import { TypedField } from './typed-field.tsx'

interface LimitFieldsProps {
  limit: RuleLimit | undefined
  onChange: (limit: RuleLimit | undefined) => void
  /** The words of the server about a field of the limit. */
  error: (field: string) => string | undefined
  onLeave: () => void
}

const firstLimit: RuleLimit = { count: 10, window_s: 3600 }
const unitOptions = windowUnits.map(({ unit }) => ({ value: unit, text: unit }))

/** How often an agent may use an `allow` rule. */
export function LimitFields({ limit, onChange, error, onLeave }: LimitFieldsProps) {
  const [unit, setUnit] = useState<WindowUnit>(() => windowParts((limit ?? firstLimit).window_s).unit)
  const change = (part: Partial<RuleLimit>) => onChange({ ...(limit ?? firstLimit), ...part })
  const turn = (isOn: boolean) => {
    setUnit(windowParts(firstLimit.window_s).unit)
    onChange(isOn ? firstLimit : undefined)
  }
  return (
    <>
      <div className={css.full}>
        <Check
          label="Limit how often an agent may use the rule"
          isOn={limit !== undefined}
          onChange={turn}
          hint="When the limit is used up, the rule does not match. The next rule or the default effect decides then. Edges with different state folders count apart."
        />
      </div>
      {limit && (
        <div className={css.limit}>
          <TypedField
            label="Calls at most"
            value={limit.count}
            read={numberIn}
            write={String}
            onChange={(count) => change({ count })}
            onBlur={onLeave}
            error={error('limit.count')}
          />
          <TypedField
            key={unit}
            label="Window"
            value={limit.window_s}
            read={(text) => secondsOf(numberIn(text), unit)}
            write={(seconds) => String(seconds / secondsOf(1, unit))}
            onChange={(window_s) => change({ window_s })}
            onBlur={onLeave}
            error={error('limit.window_s')}
          />
          <SelectField
            label="Unit of the window"
            value={unit}
            onChange={(next) => {
              const length = limit.window_s / secondsOf(1, unit)
              setUnit(next)
              change({ window_s: secondsOf(length, next) })
            }}
            options={unitOptions}
          />
        </div>
      )}
    </>
  )
}

const numberIn = (text: string) => (text.trim() === '' ? 0 : Number(text))
