import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { useEffect, useLayoutEffect, useRef, useState } from 'react'
import {
  Autocomplete,
  Collection,
  Dialog,
  Header,
  Input,
  Menu,
  MenuItem,
  MenuSection,
  Modal,
  ModalOverlay,
  SearchField,
} from 'react-aria-components'
import { useEnvironments } from '../../api/environments.ts'
import { read } from '../../api/queries.ts'
import { useAgentSearch } from '../../api/search-agents.ts'
import { whyNot } from '../../api/why-not.ts'
import { useSession } from '../../session/session.ts'
import type { Picked } from '../../ui/fields/picker.tsx'
import { policyPlace } from '../../ui/page/policy-place.ts'
import { Name } from '../../ui/texts/name.tsx'
import { signOutOrTell } from '../doors/sign-out.ts'
import { helpPages, pageActions, places } from '../frame/navigation.ts'
import { changeTheme } from '../frame/theme.ts'
import css from './palette.module.css'
import { startsFirst } from './starts-first.ts'

interface Item {
  id: string
  name: string
  /** What the item is about, after its name. */
  note?: string
  /** True for an action that the person may not take. Its note says why. */
  isOff?: boolean
  act: () => void
}

interface Group {
  name: string
  items: Item[]
}

/** What a dialog that stops agents is opened for. */
export interface StopTarget {
  agent?: Picked
  environmentId?: string
}

export interface PaletteProps {
  /** What the person typed while the code of the palette was loaded. Undefined once the palette takes the keys itself. */
  early: { current: string | undefined }
  onClose: () => void
  onFreeze: (target?: StopTarget) => void
  onSuspend: (target?: StopTarget) => void
  onShortcuts: () => void
}

const mostOfGroup = 8
/** Maximum number of agents that are read for a text, so that the names that start with it are among them. */
const mostAgents = 50

/** Finds agents, policies, tools, people, pages and actions by what the reader types. */
export function Palette(props: PaletteProps) {
  const { onClose, early } = props
  const [text, setText] = useState(() => early.current ?? '')
  useLayoutEffect(() => {
    early.current = undefined
  }, [early])
  const groups = useGroups(text.trim(), props)
  const { field, choose } = useFirstHit(text.trim(), groups)
  return (
    <ModalOverlay isOpen isDismissable onOpenChange={(isOpen) => !isOpen && onClose()} className={css.scrim ?? ''}>
      <Modal className={css.box ?? ''}>
        <Dialog aria-label="Find">
          <Autocomplete inputValue={text} onInputChange={setText}>
            <SearchField
              aria-label="Find agents, policies, tools, people, pages and actions"
              autoFocus
              className={css.field ?? ''}
            >
              <Input
                ref={field}
                className={css.input ?? ''}
                placeholder="Find agents, people, pages"
                maxLength={200}
                onKeyDown={({ key }) => key.startsWith('Arrow') && choose()}
                // Without a hit, no row is active. The component would still name the last one.
                {...(groups.length === 0 && { 'aria-activedescendant': '' })}
              />
            </SearchField>
            <Menu
              className={css.list ?? ''}
              items={groups}
              aria-label="Results"
              renderEmptyState={() => <p className={css.none}>Nothing has this name.</p>}
            >
              {({ name, items }: Group & { id?: string }) => (
                <MenuSection id={name} className={css.group ?? ''}>
                  <Header className={css.head ?? ''}>{name}</Header>
                  <Collection items={items}>
                    {(item: Item) => (
                      <MenuItem
                        id={item.id}
                        textValue={item.name}
                        className={item.isOff ? `${css.item} ${css.off}` : (css.item ?? '')}
                        onAction={item.act}
                      >
                        <Name>{item.name}</Name>
                        {item.note && <Name className={css.note}>{item.note}</Name>}
                      </MenuItem>
                    )}
                  </Collection>
                </MenuSection>
              )}
            </Menu>
          </Autocomplete>
        </Dialog>
      </Modal>
    </ModalOverlay>
  )
}

/**
 * Highlights the first hit, so that Enter opens it. The list does so itself while the reader types, but an answer that arrives later may put other hits
 * before it, or remove it. A row that the reader chose stays.
 */
function useFirstHit(text: string, groups: readonly Group[]) {
  const field = useRef<HTMLInputElement>(null)
  const chosen = useRef<string>(undefined)
  const hits = groups.flatMap(({ items }) => items.map(({ id }) => id)).join()
  // biome-ignore lint/correctness/useExhaustiveDependencies: a change of the hits can end the highlight
  useEffect(() => {
    if (text === '') return
    // The list shows a change of its rows a moment later.
    const timer = setTimeout(() => {
      const list = field.current?.getAttribute('aria-controls')
      const rows = document.getElementById(list ?? '')
      const isChosen = chosen.current === text && rows?.querySelector('[data-focused]')
      if (rows?.querySelector('[role="menuitem"]') && !isChosen)
        field.current?.dispatchEvent(new KeyboardEvent('keydown', { key: 'Home', bubbles: true, cancelable: true }))
    })
    return () => clearTimeout(timer)
  }, [text, hits])
  const choose = () => {
    chosen.current = text
  }
  return { field, choose }
}

/** The groups that have something for the text. Without a text, the pages and actions. */
function useGroups(
  text: string,
  { onClose, onFreeze, onSuspend, onShortcuts }: PaletteProps,
): (Group & { id: string })[] {
  const router = useRouter()
  const session = useSession()
  const hasText = text.length > 0
  const unfrozen = whyNot(session, 'createFreeze')
  const options = { enabled: hasText, placeholderData: keepPreviousData }
  const { agents } = useAgentSearch(text, { most: mostAgents, enabled: hasText })
  const policies = useQuery({ ...read('listPolicies', { query: { search: text, limit: mostOfGroup } }), ...options })
  const tools = useQuery({ ...read('listTools', { query: { search: text, page_size: mostOfGroup } }), ...options })
  const people = useQuery({ ...read('listUsers', { query: { search: text, limit: mostOfGroup } }), ...options })
  const go = (href: string) => () => {
    onClose()
    void router.navigate({ href })
  }
  const then = (act: () => void) => () => {
    onClose()
    act()
  }
  const pages: Item[] = [
    ...places.flatMap(({ group, places }) =>
      places.map(({ to, search, name }) => ({
        to: search ? `${to}?${new URLSearchParams(search)}` : to,
        name,
        note: group,
      })),
    ),
    ...helpPages,
  ].map(({ to, name, note }) => ({ id: `page ${to}`, name, note, act: go(to) }))
  const actions: Item[] = [
    ...pageActions.map(({ name, href, operation }) => {
      const because = operation && whyNot(session, operation)
      return { id: href, name, act: because ? () => {} : go(href), ...(because && { note: because, isOff: true }) }
    }),
    { id: 'suspend', name: 'Suspend…', act: then(() => onSuspend()) },
    {
      id: 'freeze',
      name: 'Freeze…',
      act: unfrozen === undefined ? then(() => onFreeze()) : () => {},
      ...(unfrozen !== undefined && { note: unfrozen, isOff: true }),
    },
    { id: 'shortcuts', name: 'Keyboard shortcuts', act: then(onShortcuts) },
    { id: 'light', name: 'Light theme', act: then(() => changeTheme('light')) },
    { id: 'dark', name: 'Dark theme', act: then(() => changeTheme('dark')) },
    { id: 'sign out', name: 'Sign out', act: then(() => void signOutOrTell()) },
  ]
  const stops = useStops(text).map(({ verb, target, ...stop }): Item => {
    const because = verb === 'freeze' ? unfrozen : undefined
    if (because !== undefined) return { ...stop, note: because, isOff: true, act: () => {} }
    return { ...stop, act: then(() => (verb === 'freeze' ? onFreeze : onSuspend)(target)) }
  })
  const found = <T,>(answer: { data: T[] } | undefined, itemOf: (one: T) => Item) =>
    hasText ? (answer?.data ?? []).map(itemOf) : []
  const matching = (items: Item[]) => items.filter(({ name }) => name.toLowerCase().includes(text.toLowerCase()))
  const groups: Group[] = [
    {
      name: 'Agents',
      items: found({ data: startsFirst(agents, text).slice(0, mostOfGroup) }, ({ id, name, environment }) => ({
        id,
        name,
        ...(environment && { note: environment.name }),
        act: go(`/agents/${id}`),
      })),
    },
    {
      name: 'Policies',
      items: found(policies.data, ({ id, name }) => ({ id, name, act: go(policyPlace(id, 'current').to) })),
    },
    { name: 'Tools', items: found(tools.data, ({ id, tool }) => ({ id, name: tool, act: go(`/tools/${id}`) })) },
    {
      name: 'People',
      items: found(people.data, ({ id, display_name, email }) => ({
        id,
        name: display_name || email,
        note: email,
        act: go(`/team?search=${encodeURIComponent(email)}`),
      })),
    },
    { name: 'Pages', items: matching(pages) },
    { name: 'Actions', items: [...stops, ...matching(actions)] },
  ]
  return groups.filter(({ items }) => items.length > 0).map((group) => ({ ...group, id: group.name }))
}

/**
 * What a text such as "freeze NAME" or "suspend NAME" means: the agents and environments of that name. Of those that were found, the exact name comes
 * first.
 */
function useStops(text: string) {
  const [, verb = '', name = ''] = /^(freeze|suspend)\s+(.+)$/i.exec(text)?.map((part) => part.toLowerCase()) ?? []
  const isFreeze = verb === 'freeze'
  const { agents } = useAgentSearch(name, { most: mostAgents, sort: 'name', enabled: name !== '' })
  const { environments = [] } = useEnvironments({ enabled: isFreeze })
  if (name === '') return []
  const start = isFreeze ? 'Freeze' : 'Suspend'
  const ofAgents = agents.map(({ id, name, environment }) => ({
    named: name,
    id: `${verb} ${id}`,
    name: `${start} ${name}…`,
    ...(environment && { note: environment.name }),
    target: { agent: { id, name } },
  }))
  const ofEnvironments = environments.map(({ id, name }) => ({
    named: name,
    id: `${verb} ${id}`,
    name: `${start} ${name}…`,
    note: 'All agents of the environment',
    target: { environmentId: id },
  }))
  const isExact = ({ named }: { named: string }) => Number(named.toLowerCase() === name)
  // The agents may still be those of a shorter text.
  return [...ofAgents, ...(isFreeze ? ofEnvironments : [])]
    .filter(({ named }) => named.toLowerCase().includes(name))
    .sort((one, other) => isExact(other) - isExact(one))
    .slice(0, mostOfGroup)
    .map(({ named: _named, ...stop }) => ({ ...stop, verb }))
}
