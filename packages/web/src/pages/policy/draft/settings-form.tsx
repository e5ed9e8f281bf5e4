import { Check } from '../../../ui/fields/check.tsx'
import { EnvironmentField } from '../../../ui/fields/environment-field.tsx'
import { Field, SelectField } from '../../../ui/fields/field.tsx'
import { Panel } from '../../../ui/page/panel.tsx'
import { modeLooks } from '../../../ui/page/states.ts'
import { unmatched } from '../../../words/policy-fields.ts'
import type { Document } from '../document/document.ts'
import css from '../policy.module.css'
import { type Fault, faultAt } from './faults.ts'

interface SettingsFormProps {
  document: Document
  /** Why content rules cannot be turned on. */
  contentRefused: string | undefined
  faults: readonly Fault[]
  onChange: (part: Partial<Document>) => void
}

const modes = (['inherit', 'enforce', 'monitor'] as const).map((value) => ({ value, text: modeLooks[value].word }))
const unmatchedOptions = (['deny', 'require_approval', 'allow'] as const).map((value) => ({
  value,
  text: unmatched[value],
}))

/** The fields of the policy itself. */
export function SettingsForm({ document, contentRefused, faults, onChange }: SettingsFormProps) {
  return (
    <Panel title="Policy">
      <div className={css.settings}>
        <Field
          label="Name of the policy"
          value={document.name}
          onChange={(name) => onChange({ name })}
          error={faultAt(faults, 'name')}
          maxLength={200}
        />
        <SelectField
          label="Calls that no rule matches (default effect)"
          value={document.default_effect}
          onChange={(default_effect) => onChange({ default_effect })}
          options={unmatchedOptions}
          error={faultAt(faults, 'default_effect')}
        />
        <EnvironmentField
          label="Environment"
          value={document.environment_id ?? ''}
          onChange={(id) => onChange({ environment_id: id || null })}
          everywhere="every environment"
          error={faultAt(faults, 'environment_id')}
        />
        <SelectField
          label="Enforcement"
          value={document.override_mode}
          onChange={(override_mode) => onChange({ override_mode })}
          options={modes}
          error={faultAt(faults, 'override_mode')}
        />
        <Check
          label="Content rules"
          isOn={document.dlp_enabled}
          onChange={(dlp_enabled) => onChange({ dlp_enabled })}
          hint="Calls and results are searched for secrets, personal data and instructions to the model, as the tab Content says."
          disabledBecause={document.dlp_enabled ? undefined : contentRefused}
        />
        <div className={css.full}>
          <Field
            label="Description"
            value={document.description}
            onChange={(description) => onChange({ description })}
            error={faultAt(faults, 'description')}
            maxLength={2000}
            lines={2}
          />
        </div>
      </div>
    </Panel>
  )
}
