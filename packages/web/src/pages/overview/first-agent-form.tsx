import { MandateError } from '@mandate/sdk'
import { type FormEvent, useState } from 'react'
import { client } from '../../api/client.ts'
import { readAfterWrite } from '../../api/queries.ts'
import { whyNot } from '../../api/why-not.ts'
import { useSession } from '../../session/session.ts'
import { Button } from '../../ui/actions/button.tsx'
import { Field, FieldError } from '../../ui/fields/field.tsx'
import { errorOfField } from '../../words/field-errors.ts'
import css from './first-run.module.css'
import { starterEffect, starterName, starterPolicy } from './first-steps.ts'

/** Creates the starter policy and the first agent. `onKey` gets the key of the agent, which is shown once. */
export function FirstAgentForm({ onKey }: { onKey: (agentId: string, key: string) => void }) {
  const session = useSession()
  const [name, setName] = useState('first-agent')
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<Error>()
  const { of, rest } = errorOfField(error, ['name'])
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (isBusy) return
    setBusy(true)
    setError(undefined)
    try {
      const { agent, agent_key: key } = await createFirstAgent(name, session.user.id)
      onKey(agent.id, key)
    } catch (failure) {
      setError(failure as Error)
    }
    setBusy(false)
    await readAfterWrite('createAgent')
  }
  return (
    <form className={css.form} onSubmit={submit} noValidate>
      <p className={css.lede}>
        The agent gets the policy <b>{starterName}</b>: {starterEffect}. You can change it later. If the environment has
        a policy of this name already, the agent gets that policy as it is.
      </p>
      <Field label="Name of the agent" value={name} onChange={setName} autoComplete="off" error={of.name} />
      <FieldError text={rest} />
      <div>
        <Button
          type="submit"
          look="act"
          isBusy={isBusy}
          disabledBecause={whyNot(session, 'createPolicy') ?? whyNot(session, 'createAgent')}
        >
          Create the policy and the agent
        </Button>
      </div>
    </form>
  )
}

/** The person who registers the agent answers for it. */
async function createFirstAgent(name: string, owner: string) {
  const environment = await firstEnvironment()
  const policy = (await findStarter(environment)) ?? (await createStarter(environment))
  const body = { name, environment_id: environment, policy_id: policy.id, owner_user_id: owner }
  return client.call('createAgent', { body })
}

/** Creates the starter policy, or finds the one that another window just created. */
async function createStarter(environment: string): Promise<{ id: string }> {
  try {
    return await client.call('createPolicy', { body: starterPolicy(environment) })
  } catch (error) {
    const starter =
      error instanceof MandateError && error.code === 'policy_name_taken' && (await findStarter(environment))
    if (starter) return starter
    throw error
  }
}

/** The environment for trying things, or else the first one. */
async function firstEnvironment(): Promise<string> {
  const { data } = await client.call('listEnvironments', { query: { limit: 200 } })
  const environment = data.find(({ slug }) => slug === 'development') ?? data[0]
  if (!environment) throw new Error('You have access to no environment. Ask a manager or an owner for access.')
  return environment.id
}

/** The starter policy of an earlier attempt, so that a second one creates no second policy. */
async function findStarter(environment: string) {
  const { data } = await client.call('listPolicies', { query: { search: starterName, limit: 200 } })
  return data.find(({ name, environment_id: of }) => name === starterName && of === environment)
}
