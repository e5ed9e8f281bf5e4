import { useId, useState } from 'react'
import { ComboBox, Input, Label, ListBox, ListBoxItem, Popover } from 'react-aria-components'
import { Name } from '../texts/name.tsx'
import { FieldError } from './field.tsx'
import css from './picker.module.css'

/** What can be picked: an object with its name. */
export interface Picked {
  id: string
  name: string
}

interface PickerProps {
  label: string
  picked: Picked | undefined
  onPick: (picked: Picked) => void
  /** What matches the text that the reader typed. */
  items: readonly Picked[]
  /** Gets the text to search for. It is empty until the reader types. */
  onSearch: (text: string) => void
  /** What is said if nothing matches. */
  none: string
  /** Called when the reader empties the field, where nothing may be picked. */
  onClear?: () => void
  hint?: string | undefined
  error?: string | undefined
  /** Why the items could not be read. */
  fault?: string | undefined
  /** True before the first items are read. */
  isLoading?: boolean
}

/** Finds an object by its name while the reader types. */
export function Picker(props: PickerProps) {
  const { label, picked, onPick, items, onSearch, none, onClear, hint, isLoading = false, fault } = props
  const error = props.error ?? fault
  const empty = fault ?? (isLoading ? 'The list is read.' : none)
  const hintId = useId()
  const errorId = useId()
  const described = [hint ? hintId : '', error ? errorId : ''].filter(Boolean).join(' ')
  const [typed, setTyped] = useState<string>()
  const show = (next: string) => {
    setTyped(next)
    onSearch(next === picked?.name ? '' : next.trim())
    if (next === '') onClear?.()
  }
  return (
    <ComboBox
      className={css.picker ?? ''}
      items={items}
      inputValue={typed ?? picked?.name ?? ''}
      onInputChange={show}
      value={picked?.id ?? null}
      onChange={(id) => {
        const found = items.find((one) => one.id === id)
        if (!found) return
        onPick({ id: found.id, name: found.name })
        setTyped(found.name)
      }}
      menuTrigger="focus"
      allowsEmptyCollection
      isInvalid={props.error !== undefined}
    >
      <Label className={css.label ?? ''}>{label}</Label>
      <Input className={css.input ?? ''} maxLength={200} {...(described && { 'aria-describedby': described })} />
      {hint && (
        <p id={hintId} className={css.hint}>
          {hint}
        </p>
      )}
      <FieldError id={errorId} text={error} />
      <Popover className={css.popover ?? ''}>
        <ListBox<Picked> renderEmptyState={() => <p className={css.none}>{empty}</p>}>
          {({ id, name }) => (
            <ListBoxItem id={id} textValue={name} className={css.item ?? ''}>
              <Name>{name}</Name>
            </ListBoxItem>
          )}
        </ListBox>
      </Popover>
    </ComboBox>
  )
}
