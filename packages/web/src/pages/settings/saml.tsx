import { minimumPlans } from '@mandate/contract/words/plans'
import type { Schema } from '@mandate/sdk'
import { useWrite } from '../../api/queries.ts'
import { whyNot } from '../../api/why-not.ts'
import { Check } from '../../ui/fields/check.tsx'
import { Field } from '../../ui/fields/field.tsx'
import { KeyValues } from '../../ui/lists/key-values.tsx'
import { Panel } from '../../ui/page/panel.tsx'
import { State } from '../../ui/page/state.tsx'
import { Name } from '../../ui/texts/name.tsx'
import { notInPlan, planNames } from '../../words/plans.ts'
import { SamlAddresses } from './saml-addresses.tsx'
import { SettingForm } from './setting-form.tsx'
import css from './settings.module.css'
import { useTyped } from './use-typed.ts'

type Tenant = Schema<'Tenant'>
type SamlField = NonNullable<Tenant['saml_configured']>[number]

const labels: Record<SamlField, string> = {
  saml_entity_id: 'Entity id of the provider',
  saml_sso_url: 'Address of its sign-in service',
  saml_certificate: 'Certificate of the provider (PEM)',
  saml_email_domain: 'E-mail domain',
  saml_provider_id: 'Provider id for the sign-in routes',
}
const fields = Object.keys(labels) as SamlField[]
const kept = 'A value is stored. Leave the field empty to keep it.'
const hints: Partial<Record<SamlField, string>> = {
  saml_certificate: 'If the provider changes its key, paste its old and its new certificate, one after the other.',
}

/** Sign-in with the identity provider of the organization. The server never returns most of these values. */
export function Saml({ tenant }: { tenant: Tenant }) {
  const write = useWrite('updateTenant')
  const configured = tenant.saml_configured ?? []
  const form = useTyped<Partial<Record<SamlField, string>> & { saml_enabled: boolean }>({
    saml_email_domain: tenant.saml_email_domain ?? '',
    saml_enabled: tenant.saml_enabled,
  })
  const { values } = form
  // After a change to a lower plan, SAML can still be turned off.
  const refused =
    tenant.saml_enabled || tenant.plan === minimumPlans.saml ? undefined : notInPlan(tenant.plan, minimumPlans.saml)
  // A field that is left empty keeps its value.
  const changed = Object.fromEntries(
    Object.entries(form.changes).filter(([, value]) => typeof value !== 'string' || value.trim() !== ''),
  ) as typeof form.changes
  const save = async () => {
    await write.mutateAsync({ path: { id: tenant.id }, body: changed })
    form.keepUnsaved(changed)
  }
  return (
    <Panel title="SAML sign-in" legend={<State {...stateOf(tenant)} />}>
      <p className={css.note}>
        People whose addresses have the domain sign in with your identity provider.
        {tenant.plan !== minimumPlans.saml && ` SAML needs the plan ${planNames[minimumPlans.saml]}.`}
      </p>
      <KeyValues
        rows={[
          ['Stored', configured.length === 0 ? 'no value yet' : configured.map((field) => labels[field]).join(', ')],
        ]}
      />
      <SamlAddresses tenant={tenant} typed={values.saml_provider_id ?? ''} />
      <SettingForm
        fields={[...fields, 'saml_enabled']}
        verb="Save SAML"
        saved="Saved SAML."
        disabledBecause={whyNot(tenant, 'updateTenant')}
        isUnchanged={Object.keys(changed).length === 0}
        plain={[
          [
            labels.saml_email_domain,
            tenant.saml_email_domain ? <Name key="domain">{tenant.saml_email_domain}</Name> : undefined,
          ],
        ]}
        save={save}
      >
        {(errors) => (
          <>
            {fields.map((field) => (
              <Field
                key={field}
                label={labels[field]}
                value={values[field] ?? ''}
                onChange={(value) => form.set({ [field]: value })}
                error={errors[field]}
                lines={field === 'saml_certificate' ? 4 : 1}
                isMono={field === 'saml_certificate'}
                autoComplete="off"
                hint={[configured.includes(field) ? kept : '', hints[field] ?? ''].join(' ').trim()}
              />
            ))}
            <Check
              label="People sign in with SAML"
              isOn={values.saml_enabled}
              onChange={(isOn) => form.set({ saml_enabled: isOn })}
              disabledBecause={refused}
            />
          </>
        )}
      </SettingForm>
    </Panel>
  )
}

const stateOf = ({ saml_enabled }: Tenant) =>
  saml_enabled
    ? ({ glyph: 'approved', word: 'On', tone: 'quiet' } as const)
    : ({ glyph: 'retired', word: 'Off', tone: 'quiet' } as const)
