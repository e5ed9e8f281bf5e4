import { useRouterState } from '@tanstack/react-router'
import { useSession } from '../../session/session.ts'
import { Door, doorCss } from '../../shell/doors/door.tsx'
import { signOutOrTell } from '../../shell/doors/sign-out.ts'
import { Button } from '../../ui/actions/button.tsx'
import { PageLink } from '../../ui/page/page-link.tsx'
import { Panel } from '../../ui/page/panel.tsx'
import { Name } from '../../ui/texts/name.tsx'
import { Account } from '../settings/account.tsx'
import { Leave } from '../settings/leave.tsx'
import css from '../settings/settings.module.css'

const list = new Intl.ListFormat('en', { type: 'disjunction' })

/** What a learner sees instead of the dashboard. `/settings` has the account; every other address says what the account is for. */
export function LearnerPage() {
  const isAccount = useRouterState({ select: ({ location }) => location.pathname === '/settings' })
  return isAccount ? <LearnerAccount /> : <Purpose />
}

function Purpose() {
  const { user, tenant, contacts = [] } = useSession()
  const whom = contacts.length === 0 ? `an owner of ${tenant.name}` : list.format(contacts)
  return (
    <Door name="Learner account" sentence={`With this account you learn with the training of ${tenant.name}.`}>
      <p>
        You are signed in as <Name>{user.email}</Name>. The account shows no agents, and it decides nothing about them.
      </p>
      <p className={doorCss.note}>
        Do you work with agents? Ask <Name>{whom}</Name> for access: they choose <em>Give platform access</em> on the
        page Team.
      </p>
      <p className={doorCss.note}>
        <PageLink to="/settings">Your name, password and second factor</PageLink>
      </p>
      <p className={doorCss.note}>
        <Button onPress={() => void signOutOrTell()}>Sign out</Button>
      </p>
    </Door>
  )
}

function LearnerAccount() {
  return (
    <Door name="Your account" sentence={<PageLink to="/">What this account is for</PageLink>} isWide>
      <div className={css.parts}>
        <Account />
        <Panel title="Leave">
          <div className={css.danger}>
            <p>Leaving deletes your account.</p>
            <Leave />
          </div>
        </Panel>
      </div>
    </Door>
  )
}
