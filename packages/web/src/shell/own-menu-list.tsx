import { useNavigate } from '@tanstack/react-router'
import { Button, Menu, MenuItem, MenuTrigger, Popover } from 'react-aria-components'
import { useSession } from '../session/session.ts'
import { Name } from '../ui/name.tsx'
import { useOwnButton } from './own-button.ts'
import css from './shell.module.css'
import { signOutOrTell } from './sign-out.ts'
import { changeTheme } from './theme.ts'

/** The button with the menu of the person who is signed in. */
export function OwnMenuList({ onShortcuts, opensAtOnce }: { onShortcuts: () => void; opensAtOnce: boolean }) {
  const { user, tenant } = useSession()
  const { name, initials, label } = useOwnButton()
  const navigate = useNavigate()
  return (
    <MenuTrigger defaultOpen={opensAtOnce}>
      <Button className={css.who ?? ''} aria-label={label}>
        {initials}
      </Button>
      <Popover className={css.menu ?? ''} placement="bottom end">
        <p className={css.about}>
          <strong>
            <Name>{name}</Name>
          </strong>
          <br />
          <Name>{user.email}</Name>
          <br />
          {user.role} of {tenant.name}
        </p>
        <Menu aria-label="Your menu">
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
          <MenuItem className={css.item ?? ''} href="/docs" target="_blank">
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
    </MenuTrigger>
  )
}
