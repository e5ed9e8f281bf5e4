import { Button, Menu, MenuItem, MenuTrigger, Popover } from 'react-aria-components'
import { Glyph } from '../texts/glyph.tsx'
import { buttonClass } from './button.tsx'
import css from './more-menu.module.css'

export interface MenuAct {
  name: string
  onPress: () => void
  /** Why the action is not possible. It then stays in the menu and says why. */
  disabledBecause?: string | undefined
}

/** The actions of a page that are used less often. */
export function MoreMenu({ acts }: { acts: readonly MenuAct[] }) {
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
              textValue={because === undefined ? name : `${name}, not possible: ${because}`}
              className={because === undefined ? (css.item ?? '') : `${css.item} ${css.off}`}
              onAction={because === undefined ? onPress : () => {}}
            >
              {name}
              {because !== undefined && <span className={css.why}>{because}</span>}
            </MenuItem>
          ))}
        </Menu>
      </Popover>
    </MenuTrigger>
  )
}
