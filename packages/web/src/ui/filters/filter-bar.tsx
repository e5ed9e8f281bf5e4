import { useQueries } from '@tanstack/react-query'
import { useState } from 'react'
import {
  Autocomplete,
  Button,
  SearchField as FindField,
  Input,
  Menu,
  MenuItem,
  MenuTrigger,
  Popover,
} from 'react-aria-components'
import type { anyRow } from '../../api/use-list.ts'
import { FieldError } from '../fields/field.tsx'
import { SearchField, type SearchFieldProps } from '../fields/search-field.tsx'
import { isolated } from '../texts/direction/isolated.ts'
import { Phrase } from '../texts/direction/phrase.tsx'
import { Glyph } from '../texts/glyph.tsx'
import { Name } from '../texts/name.tsx'
import css from './filter-bar.module.css'
import { type ActiveFilter, activeOf, excludingText, type Filter, hasText, wordOf } from './filters.ts'

type Search = Pick<SearchFieldProps, 'label' | 'maxLength' | 'isWhole'> & { name: string; value: string | undefined }

interface FilterBarProps {
  /** The field that searches in names. Left out where the list has no search. */
  search?: Search
  filters: readonly Filter[]
  /** The number of filters that are shown without *More*. */
  shown?: number
  /** Puts a value into the address. Undefined takes it out. */
  onChange: (name: string, value: string | undefined) => void
  /** Takes all filters out of the address. */
  onClear?: () => void
}

/** The search and the filters of a list. The address holds each value, so a filtered list can be sent to a colleague. */
export function FilterBar(props: FilterBarProps) {
  const { search, filters, shown = filters.length, onChange, onClear } = props
  const [isWhole, setWhole] = useState(false)
  return (
    <search className={css.bar} data-whole={isWhole}>
      {search && (
        <SearchField
          {...search}
          value={search.value ?? ''}
          onChange={(value) => onChange(search.name, value || undefined)}
        />
      )}
      {filters.map((filter, index) => (
        <Chip
          key={filter.name}
          {...filter}
          isExtra={index >= shown}
          onChange={(value) => onChange(filter.name, value)}
        />
      ))}
      <button
        type="button"
        className={`${css.chip} ${css.more}`}
        data-extra={shown < filters.length}
        aria-expanded={isWhole}
        onClick={() => setWhole(!isWhole)}
      >
        {isWhole ? 'Less' : 'More'}
      </button>
      {onClear && activeOf(filters, search).length > 0 && (
        <button type="button" className={`${css.chip} ${css.plain}`} onClick={onClear}>
          Clear
        </button>
      )}
    </search>
  )
}

const any = ''

interface ChipProps extends Filter {
  isExtra: boolean
  onChange: (value: string | undefined) => void
}

function Chip({ label, value, options, without = 'any', fault, find, isExtra, onChange }: ChipProps) {
  const shown = value === undefined ? without : wordOf(value, options)
  // A value of the address stays in the menu if the list has no rows with it any more.
  const all =
    value === undefined || options.some((option) => option.value === value)
      ? options
      : [{ value, text: wordOf(value, options) }, ...options]
  // A search also leaves out the value if its text does not match, because Enter chooses the first row.
  const found = all.filter((option) => option.value !== value || hasText(option.text, find?.text ?? ''))
  const menu = (
    <Menu
      aria-label={label}
      selectionMode="single"
      selectedKeys={[value ?? any]}
      // Otherwise Escape in the search would clear the selection, and not close the menu.
      disallowEmptySelection
      onAction={(key) => onChange(key === any ? undefined : String(key))}
      {...(find && {
        renderEmptyState: () => <p className={css.nothing}>{fault ? 'The list could not be read.' : find.none}</p>,
      })}
    >
      {[...(find ? [] : [{ value: any, text: without, note: undefined }]), ...found].map((option) => (
        <MenuItem key={option.value} id={option.value} textValue={option.text} className={css.item ?? ''}>
          <Name className={css.name}>{option.text}</Name>
          {option.note !== undefined && <Name className={css.note}>{option.note}</Name>}
        </MenuItem>
      ))}
    </Menu>
  )
  return (
    <span className={css.chip} data-on={value !== undefined} data-extra={isExtra}>
      <MenuTrigger onOpenChange={(isOpen) => !isOpen && find?.onText('')}>
        <Button className={css.open ?? ''} aria-label={`${label}: ${shown}`}>
          {label}{' '}
          <b>
            <Name>{shown}</Name>
          </b>
          {value === undefined && <Glyph name="down" />}
        </Button>
        <Popover className={css.menu ?? ''} placement="bottom start">
          {find ? (
            <Autocomplete inputValue={find.text} onInputChange={find.onText}>
              <FindField aria-label={find.label} autoFocus>
                <Input className={css.find ?? ''} placeholder={find.label} maxLength={200} />
              </FindField>
              {menu}
            </Autocomplete>
          ) : (
            menu
          )}
          <FieldError text={fault} />
        </Popover>
      </MenuTrigger>
      {value !== undefined && (
        <Button className={css.clear ?? ''} aria-label={`Clear ${label}`} onPress={() => onChange(undefined)}>
          <Glyph name="close" />
        </Button>
      )}
    </span>
  )
}

interface NoMatchProps {
  /** What a row is, such as `agent`. */
  what: string
  filters: readonly ActiveFilter[]
  onChange: (name: string, value: undefined) => void
  onClear: () => void
  /** Asks whether the list has a row without this filter. Left out for a list with one filter. */
  without?: (name: string) => ReturnType<typeof anyRow>
}

/** The most filters that are asked about, so that an empty list costs the server few requests. */
const mostAsked = 6

/** Says that no row has these filters and which of them exclude the rows, and takes one of them or all of them out of the address. */
export function NoMatch({ what, filters, onChange, onClear, without }: NoMatchProps) {
  const asked = without && filters.length > 1 ? filters.slice(0, mostAsked) : []
  const answers = useQueries({ queries: without ? asked.map(({ name }) => without(name)) : [] })
  const excluding = excludingText(
    asked.map(({ words }) => isolated(words)),
    answers.map(({ data }) => data),
    filters.length,
  )
  return (
    <div className={css.none}>
      <p>
        No {what} matches: <Phrase>{filters.map(({ words }) => isolated(words)).join(', ')}</Phrase>.
      </p>
      {filters.length > 1 && without && (
        <p className={css.why} role="status">
          <Phrase>{excluding}</Phrase>
        </p>
      )}
      <p className={css.ways}>
        {filters.length > 1 &&
          filters.map(({ name, words }) => (
            <Button key={name} className={css.chip ?? ''} onPress={() => onChange(name, undefined)}>
              Without <Name>{words}</Name>
            </Button>
          ))}
        <Button className={css.chip ?? ''} onPress={onClear}>
          Clear the filters
        </Button>
      </p>
    </div>
  )
}
