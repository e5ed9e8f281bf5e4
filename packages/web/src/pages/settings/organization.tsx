import type { Schema } from '@mandate/sdk'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { client } from '../../api/client.ts'
import { read, useWrite } from '../../api/queries.ts'
import { whyNot } from '../../api/why-not.ts'
import { leave, useSession } from '../../session/session.ts'
import { Button } from '../../ui/actions/button.tsx'
import { Copy, shortId } from '../../ui/actions/copy.tsx'
import { Confirm } from '../../ui/dialogs/dialog.tsx'
import { Field, SelectField } from '../../ui/fields/field.tsx'
import { KeyValues } from '../../ui/lists/key-values.tsx'
import { PageLink } from '../../ui/page/page-link.tsx'
import { Panel } from '../../ui/page/panel.tsx'
import { Name } from '../../ui/texts/name.tsx'
import { Failed, Loading } from '../../ui/texts/notes.tsx'
import { Time } from '../../ui/texts/time.tsx'
import { gateChange, gateEffects, gateNames, gateOfExisting } from '../../words/gate.ts'
import { planNames } from '../../words/plans.ts'
import { facetsQuery } from '../agents/queries.ts'
import { Leave } from './leave.tsx'
import { Saml } from './saml.tsx'
import { SettingForm } from './setting-form.tsx'
import css from './settings.module.css'
import { useTyped } from './use-typed.ts'

type Tenant = Schema<'Tenant'>

export function Organization() {
  const { data, error, refetch } = useQuery(read('getOwnTenant', { query: { include: 'may' } }))
  if (!data) return error ? <Failed error={error} onRetry={() => void refetch()} /> : <Loading rows={8} />
  const { tenant } = data
  return (
    <>
      <General tenant={tenant} />
      <Gate tenant={tenant} />
      <Plan tenant={tenant} />
      <Saml tenant={tenant} />
      <DangerZone tenant={tenant} />
    </>
  )
}

const retentions = ['30', '90', '400', '800'] as const

function General({ tenant }: { tenant: Tenant }) {
  const write = useWrite('updateTenant')
  const form = useTyped({ name: tenant.name, days: String(tenant.decision_retention_days) })
  const { name, days } = form.values
  const save = async () => {
    const { changes } = form
    await write.mutateAsync({
      path: { id: tenant.id },
      body: {
        ...(changes.name !== undefined && { name: changes.name }),
        ...(changes.days !== undefined && { decision_retention_days: Number(changes.days) as 30 | 90 | 400 | 800 }),
      },
    })
    form.keepUnsaved(changes)
  }
  return (
    <Panel title="Organization">
      <SettingForm
        fields={['name', 'decision_retention_days']}
        saved="Saved the organization."
        disabledBecause={whyNot(tenant, 'updateTenant')}
        isUnchanged={!form.isChanged}
        plain={[
          ['Name', <Name key="name">{tenant.name}</Name>],
          ['Keep decisions for', `${tenant.decision_retention_days} days`],
        ]}
        save={save}
      >
        {(errors) => (
          <>
            <Field
              label="Name"
              value={name}
              onChange={(text) => form.set({ name: text })}
              error={errors.name}
              maxLength={200}
            />
            <SelectField
              label="Keep decisions for"
              value={days}
              onChange={(text) => form.set({ days: text })}
              error={errors.decision_retention_days}
              options={retentions.map((value) => ({ value, text: `${value} days` }))}
              hint="Applies to new decisions. Their counts are kept longer."
            />
          </>
        )}
      </SettingForm>
    </Panel>
  )
}

const gates = ['off', 'alert', 'enforce'] as const

function Gate({ tenant }: { tenant: Tenant }) {
  const write = useWrite('setGovernanceGate')
  const form = useTyped({ gate: tenant.governance_gate })
  const { gate } = form.values
  const save = async () => {
    await write.mutateAsync({ body: { gate } })
    form.keepUnsaved({ gate })
  }
  return (
    <Panel title="Governance gate">
      <SettingForm
        fields={['gate']}
        verb="Set gate"
        saved={`The gate is ${gateNames[gate].toLowerCase()}.`}
        disabledBecause={whyNot(tenant, 'setGovernanceGate')}
        isUnchanged={!form.isChanged}
        question={
          gate === tenant.governance_gate
            ? undefined
            : { title: `Set the governance gate to ${gateNames[gate]}?`, effect: <GateEffect gate={gate} /> }
        }
        plain={[
          ['Gate', gateNames[tenant.governance_gate]],
          ['Effect', `${gateEffects[tenant.governance_gate]} ${gateOfExisting[tenant.governance_gate]}`],
        ]}
        save={save}
      >
        {(errors) => (
          <SelectField
            label="Gate"
            value={gate}
            onChange={(value) => form.set({ gate: value })}
            error={errors.gate}
            options={gates.map((value) => ({ value, text: gateNames[value] }))}
            hint={`${gateEffects[gate]} ${gateOfExisting[gate]}`}
          />
        )}
      </SettingForm>
    </Panel>
  )
}

/** What the gate would do to the agents that exist, in numbers. */
function GateEffect({ gate }: { gate: Tenant['governance_gate'] }) {
  const { data, error } = useQuery(facetsQuery({}))
  if (error) return <p>The number of agents could not be read: {error.message}</p>
  return <p>{data ? gateChange(gate, data.lifecycle_status) : 'The agents are counted.'}</p>
}

function Plan({ tenant: { id, plan, seats, created_at } }: { tenant: Tenant }) {
  return (
    <Panel title="Plan">
      <KeyValues
        rows={[
          ['Plan', `${planNames[plan]}. The operator of the server changes it.`],
          [
            'Seats',
            seats && (
              <PageLink to="/team">
                {seats.used} of {seats.max ?? 'any number'} taken
              </PageLink>
            ),
          ],
          ['Created', <Time key="created" at={created_at} />],
          ['Id', <Copy key="id" what="id of the organization" value={id} shown={shortId(id)} />],
        ]}
      />
    </Panel>
  )
}

function DangerZone({ tenant }: { tenant: Tenant }) {
  const session = useSession()
  const [isAsked, setAsked] = useState(false)
  return (
    <Panel title="Danger zone">
      <div className={css.danger}>
        <p>Leaving deletes your account. Deleting the organization deletes everything in it, also the audit trail.</p>
        <div className={css.row}>
          <Leave />
          <Button look="danger" disabledBecause={whyNot(session, 'deleteTenant')} onPress={() => setAsked(true)}>
            Delete the organization
          </Button>
        </div>
      </div>
      {isAsked && (
        <Confirm
          title={`Delete ${tenant.name}?`}
          verb="Delete the organization"
          look="stop"
          isFinal
          typed={tenant.name}
          onClose={() => setAsked(false)}
          act={async () => {
            await client.call('deleteTenant', { path: { id: tenant.id }, body: { confirm: tenant.name } })
            leave()
          }}
        >
          <p>
            All people, agents, policies, keys, decisions and the audit trail are deleted. Every edge then denies every
            call. This cannot be undone.
          </p>
        </Confirm>
      )}
    </Panel>
  )
}
