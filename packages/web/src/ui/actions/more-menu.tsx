import { useId } from 'react'
import { Button, Menu, MenuItem, MenuTrigger, Popover } from 'react-aria-components'
import { Glyph } from '../texts/glyph.tsx'
import { buttonClass } from './button.tsx'
import css from './more-menu.module.css'
import { Reasons, type Refused, textId } from './refusals.tsx'

export interface MenuAct {
  name: string
  onPress: () => void
  /** Why the action is not possible. It then stays in the menu and says why. */
  disabledBecause?: string | undefined
}

/** The actions of a page that are used less often. */
export function MoreMenu({ acts }: { acts: readonly MenuAct[] }) {
  const id = useId()
  const refused = acts.flatMap(({ name, disabledBecause: because }): Refused[] =>
    because === undefined ? [] : [{ name, because }],
  )
  return (
    <MenuTrigger>
      <Button className={buttonClass()}>
        More <Glyph name="down" />
      </Button>
      <Popover className={css.menu ?? ''} placement="bottom end">
        <Menu aria-label="More actions">
          {acts.map(({ name, onPress, disabledBecause: because }) => (
            <MenuItem
              key={name}
              textValue={name}
              className={because === undefined ? (css.item ?? '') : `${css.item} ${css.off}`}
              onAction={because === undefined ? onPress : () => {}}
              render={(attributes) =>
                'href' in attributes ? (
                  <a {...attributes}>{attributes.children}</a>
                ) : (
                  <div
                    {...attributes}
                    {...(because !== undefined && { 'aria-disabled': true, 'aria-describedby': textId(id, because) })}
                  />
                )
              }
            >
              {name}
            </MenuItem>
          ))}
        </Menu>
        <Reasons id={id} refused={refused} />
      </Popover>
    </MenuTrigger>
  )
}
