import { useNavigate } from '@tanstack/react-router'
import type { RefObject } from 'react'
import { Menu, MenuItem, Popover } from 'react-aria-components'
import { basePath } from '../../api/server-url.ts'
import { useSession } from '../../session/session.ts'
import { Name } from '../../ui/texts/name.tsx'
import { ownRole } from '../../words/words.ts'
import { signOutOrTell } from '../doors/sign-out.ts'
import { useOwnButton } from './own-button.ts'
import css from './shell.module.css'
import { changeTheme } from './theme.ts'

interface OwnMenuListProps {
  /** The button that opened the menu. */
  button: RefObject<HTMLButtonElement | null>
  onClose: () => void
  onShortcuts: () => void
}

/** The open menu of the person who is signed in. */
export function OwnMenuList({ button, onClose, onShortcuts }: OwnMenuListProps) {
  const { user, tenant } = useSession()
  const { name } = useOwnButton()
  const navigate = useNavigate()
  return (
    <Popover
      triggerRef={button}
      isOpen
      onOpenChange={(isOpen) => !isOpen && onClose()}
      className={css.menu ?? ''}
      placement="bottom end"
    >
      <p className={css.about}>
        <strong>
          <Name>{name}</Name>
        </strong>
        <br />
        <Name>{user.email}</Name>
        <br />
        <Name>{ownRole(user, tenant.name)}</Name>
      </p>
      <Menu aria-label="Your menu" autoFocus="first" onClose={onClose}>
        <MenuItem className={css.item ?? ''} onAction={() => changeTheme('light')}>
          Light theme
        </MenuItem>
        <MenuItem className={css.item ?? ''} onAction={() => changeTheme('dark')}>
          Dark theme
        </MenuItem>
        <MenuItem className={css.item ?? ''} onAction={() => changeTheme('system')}>
          Theme of the system
        </MenuItem>
        <MenuItem className={css.item ?? ''} onAction={() => void navigate({ to: '/help' })}>
          Help
        </MenuItem>
        <MenuItem className={css.item ?? ''} href={`${basePath}/docs`} target="_blank">
          API documentation
        </MenuItem>
        <MenuItem className={css.item ?? ''} onAction={onShortcuts}>
          Keyboard shortcuts
        </MenuItem>
        <MenuItem className={css.item ?? ''} onAction={() => void signOutOrTell()}>
          Sign out
        </MenuItem>
      </Menu>
    </Popover>
  )
}
