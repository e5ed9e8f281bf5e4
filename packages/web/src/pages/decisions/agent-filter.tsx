import { useState } from 'react'
import { Autocomplete, Button, Input, Menu, MenuItem, MenuTrigger, Popover, SearchField } from 'react-aria-components'
import { useAgentSearch } from '../../api/search-agents.ts'
import css from '../../ui/filters/filter-bar.module.css'
import { Glyph } from '../../ui/texts/glyph.tsx'
import { Name } from '../../ui/texts/name.tsx'
import own from './decisions.module.css'

interface AgentFilterProps {
  /** The id of the agent, from the address. */
  value: string | undefined
  name: string | undefined
  onChange: (id: string | undefined) => void
}

const mostFound = 20

/** The filter of a list by one agent, which the reader finds by its name. */
export function AgentFilter({ value, name, onChange }: AgentFilterProps) {
  const [text, setText] = useState('')
  const { agents, error, isLoading } = useAgentSearch(text.trim(), { most: mostFound })
  const none = error?.message ?? (isLoading ? 'The list is read.' : 'No agent has this name.')
  const shown = value === undefined ? 'any' : (name ?? value)
  return (
    <span className={css.chip} data-on={value !== undefined}>
      <MenuTrigger>
        <Button className={css.open ?? ''} aria-label={`Agent: ${shown}`}>
          Agent{' '}
          <b>
            <Name>{shown}</Name>
          </b>
          {value === undefined && <Glyph name="down" />}
        </Button>
        <Popover className={css.menu ?? ''} placement="bottom start">
          <Autocomplete inputValue={text} onInputChange={setText}>
            <SearchField aria-label="Name of the agent" autoFocus>
              <Input className={own.search ?? ''} placeholder="Name of the agent" maxLength={200} />
            </SearchField>
            <Menu
              aria-label="Agent"
              items={agents}
              onAction={(key) => onChange(String(key))}
              renderEmptyState={() => <p className={own.note}>{none}</p>}
            >
              {(agent) => (
                <MenuItem id={agent.id} textValue={agent.name} className={css.item ?? ''}>
                  <Name className={css.name}>{agent.name}</Name>
                  {agent.environment && <Name className={css.count}>{agent.environment.name}</Name>}
                </MenuItem>
              )}
            </Menu>
          </Autocomplete>
        </Popover>
      </MenuTrigger>
      {value !== undefined && (
        <Button className={css.clear ?? ''} aria-label="Clear Agent" onPress={() => onChange(undefined)}>
          <Glyph name="close" />
        </Button>
      )}
    </span>
  )
}
