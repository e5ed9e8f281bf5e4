import type { Schema } from '@mandate/sdk'
import { useQuery } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { useEnvironments } from '../../api/environments.ts'
import { read, useWrite } from '../../api/queries.ts'
import { Button } from '../../ui/actions/button.tsx'
import { Dialog } from '../../ui/dialogs/dialog.tsx'
import { Check } from '../../ui/fields/check.tsx'
import { FieldError } from '../../ui/fields/field.tsx'
import { SearchField } from '../../ui/fields/search-field.tsx'
import { hasText } from '../../ui/filters/filters.ts'
import { Name } from '../../ui/texts/name.tsx'
import { Failed, Loading } from '../../ui/texts/notes.tsx'
import css from './team.module.css'
import { nameOf } from './words.ts'

type User = Schema<'User'>

interface OfPerson {
  user: User
}

/** What a person with limited access sees: agents one by one, and environments. Each box is saved at once. */
export function Grants({ user, onClose }: OfPerson & { onClose: () => void }) {
  return (
    <Dialog
      title={`What ${nameOf(user)} sees`}
      onClose={onClose}
      isWide
      foot={
        <Button look="act" onPress={onClose}>
          Done
        </Button>
      }
    >
      {user.access_scope === 'all' && (
        <p>This person sees the whole organization now. Grants matter after you limit the access.</p>
      )}
      <GrantedAgents user={user} />
      <OpenEnvironments user={user} />
    </Dialog>
  )
}

function GrantedAgents({ user }: OfPerson) {
  const path = { user_id: user.id }
  const granted = useQuery(read('listGrants', { path, query: { include: 'names' } }))
  const [search, setSearch] = useState('')
  const query = { page_size: 20, ...(search && { search }) }
  const governed = useQuery(read('listAgents', { query }))
  const discovered = useQuery(read('listAgents', { query: { ...query, governance_state: 'discovered' } }))
  const create = useWrite('createGrant')
  const revoke = useWrite('revokeGrant')
  const { grants = [], names = {} } = (granted.data ?? {}) as {
    grants?: Schema<'ResourceGrant'>[]
    names?: Record<string, string>
  }
  const grantOf = new Map(grants.map((grant) => [grant.resource_id, grant.id]))
  // An agent keeps its place when its grant is taken back, so that the focus stays on its box.
  const [seen] = useState(() => new Map<string, string>())
  const { boxOf, error } = useChoices(
    grantOf,
    (id) => create.mutateAsync({ path, body: { resource_type: 'agent', resource_id: id } }),
    (grantId) => revoke.mutateAsync({ path: { ...path, grant_id: grantId } }),
  )
  for (const { resource_id } of grants) seen.set(resource_id, names[resource_id] ?? resource_id)
  const found = [...(governed.data?.data ?? []), ...(discovered.data?.data ?? [])].map(
    ({ id, name }) => [id, name] as const,
  )
  const shown = new Map(
    search ? [...found, ...[...seen].filter(([, name]) => hasText(name, search))] : [...seen, ...found],
  )
  if (granted.error) return <Failed error={granted.error} onRetry={() => void granted.refetch()} />
  if (!granted.data) return <Loading rows={3} />
  return (
    <fieldset className={css.grants}>
      <legend>Agents</legend>
      <SearchField label="Find agents to grant" value={search} onChange={setSearch} hasLabelAbove />
      {granted.data && grants.length === 0 && <p className={css.dim}>No agent is granted.</p>}
      {[...shown].map(([id, name]) => (
        <Check key={id} label={<Name>{name}</Name>} {...boxOf(id)} />
      ))}
      {governed.data && discovered.data && shown.size === 0 && <p className={css.dim}>No agent matches.</p>}
      <FieldError text={(error ?? governed.error ?? discovered.error)?.message} />
    </fieldset>
  )
}

/**
 * Boxes that are saved at once. A box shows what was chosen while it is saved, and what is saved if that fails. It cannot be changed meanwhile. `saved`
 * has the id of what is saved for each box that is on.
 */
function useChoices(
  saved: ReadonlyMap<string, string>,
  save: (id: string) => Promise<{ id: string }>,
  takeBack: (savedId: string) => Promise<unknown>,
) {
  const [chosen, setChosen] = useState<ReadonlyMap<string, boolean>>(new Map())
  const [error, setError] = useState<Error>()
  // The list may be read a moment later than the answer to a save, or not at all.
  const made = useRef(new Map<string, string>())
  const write = async (id: string, wants: boolean) => {
    if (wants) made.current.set(id, (await save(id)).id)
    else {
      const savedId = saved.get(id) ?? made.current.get(id)
      if (savedId !== undefined) await takeBack(savedId)
    }
  }
  const change = async (id: string, wants: boolean) => {
    setChosen((before) => new Map(before).set(id, wants))
    setError(undefined)
    await write(id, wants).catch(setError)
    setChosen((before) => new Map([...before].filter(([key]) => key !== id)))
  }
  const boxOf = (id: string) => ({
    isOn: chosen.get(id) ?? saved.has(id),
    onChange: (wants: boolean) => void change(id, wants),
    disabledBecause: chosen.has(id) ? 'It is being saved.' : undefined,
  })
  return { boxOf, error }
}

function OpenEnvironments({ user }: OfPerson) {
  const path = { user_id: user.id }
  const { data, error, refetch } = useQuery(read('listEnvironmentAccess', { path }))
  const { environments, error: unread, retry } = useEnvironments()
  const create = useWrite('createEnvironmentAccess')
  const revoke = useWrite('revokeEnvironmentAccess')
  const accessOf = new Map(data?.environment_access.map((access) => [access.environment_id, access.id]))
  const { boxOf, error: refused } = useChoices(
    accessOf,
    (id) => create.mutateAsync({ path, body: { environment_id: id } }),
    (accessId) => revoke.mutateAsync({ path: { ...path, access_id: accessId } }),
  )
  if (error) return <Failed error={error} onRetry={() => void refetch()} />
  if (unread) return <Failed error={unread} onRetry={retry} />
  if (!data || !environments) return <Loading rows={2} />
  return (
    <fieldset className={css.grants}>
      <legend>Environments</legend>
      <p className={css.dim}>An environment shows its edges and policies. Its agents are granted one by one.</p>
      {environments.map(({ id, name }) => (
        <Check key={id} label={<Name>{name}</Name>} {...boxOf(id)} />
      ))}
      <FieldError text={refused?.message} />
    </fieldset>
  )
}
