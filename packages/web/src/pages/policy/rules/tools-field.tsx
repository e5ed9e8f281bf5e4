import { useQuery } from '@tanstack/react-query'
import { Menu, Button as MenuButton, MenuItem, MenuTrigger, Popover } from 'react-aria-components'
import { read } from '../../../api/queries.ts'
import { buttonClass } from '../../../ui/actions/button.tsx'
import filterCss from '../../../ui/filters/filter-bar.module.css'
import { Glyph } from '../../../ui/texts/glyph.tsx'
import { Name } from '../../../ui/texts/name.tsx'
import { counted } from '../../../words/words.ts'
import css from '../policy.module.css'
import { ToolGrammar } from '../tool-grammar.tsx'
import { knownTools } from './known-tools.ts'
import { TypedField } from './typed-field.tsx'
import { readTools } from './values.ts'

interface ToolsFieldProps {
  tools: readonly string[]
  onChange: (tools: string[]) => void
  error: string | undefined
  /** Called when the focus leaves the field. */
  onBlur: () => void
}

/** The patterns of a rule: typed, or chosen from the tools that agents called. */
export function ToolsField({ tools, onChange, error, onBlur }: ToolsFieldProps) {
  return (
    <>
      <TypedField
        label="Tools"
        hint="Patterns such as mcp:files/*, separated by commas. One of them must match."
        value={[...tools]}
        read={readTools}
        write={(list) => list.join(', ')}
        onChange={onChange}
        error={error}
        onBlur={onBlur}
        isMono
      />
      <div className={css.tools}>
        <CalledTools chosen={tools} onAdd={(tool) => onChange([...tools, tool])} />
        <ToolGrammar />
      </div>
    </>
  )
}

/** A menu of the tools that recorded decisions name. */
function CalledTools({ chosen, onAdd }: { chosen: readonly string[]; onAdd: (tool: string) => void }) {
  // Counts of the last 30 days, the most called tool first.
  const { data, error } = useQuery({ ...read('getUsage', { query: { group_by: 'tool' } }), staleTime: 60_000 })
  if (error) return <p className={css.note}>The called tools cannot be read: {error.message}</p>
  if (!data) return null
  const tools = knownTools(data.data)
  const free = tools.filter(({ pattern }) => !chosen.includes(pattern))
  if (free.length === 0)
    return (
      <p className={css.note}>
        {tools.length === 0 ? 'No call was recorded in the last 30 days, so no tool can be offered.' : ''}
      </p>
    )
  return (
    <MenuTrigger>
      <MenuButton className={buttonClass()}>
        Add a called tool <Glyph name="down" />
      </MenuButton>
      <Popover className={filterCss.menu ?? ''} placement="bottom start">
        <Menu aria-label="Tools that agents called in the last 30 days" onAction={(key) => onAdd(String(key))}>
          {free.map(({ pattern, calls }) => (
            <MenuItem key={pattern} id={pattern} textValue={pattern} className={filterCss.item ?? ''}>
              <Name className={`${filterCss.name} mono`}>{pattern}</Name>
              <span className={filterCss.note}>{counted(calls, '# call', '# calls')}</span>
            </MenuItem>
          ))}
        </Menu>
      </Popover>
    </MenuTrigger>
  )
}
