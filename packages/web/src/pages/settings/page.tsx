import { useSearch } from '@tanstack/react-router'
import { useSession } from '../../session/session.ts'
import { PageHead } from '../../ui/page/page-head.tsx'
import { Tabs } from '../../ui/page/tabs.tsx'
import { Sentence } from '../../ui/texts/sentence.tsx'
import { Account } from './account.tsx'
import { Organization } from './organization.tsx'
import css from './settings.module.css'
import { Usage } from './usage.tsx'
import { accountSentence } from './words.ts'

/** How does the organization work, and how do I sign in? */
export function SettingsPage() {
  const { tab } = useSearch({ from: '/inside/settings' })
  const { user, email_verified, tenant } = useSession()
  const isOwn = tab === 'account'
  return (
    <>
      <PageHead
        name="Settings"
        {...(!isOwn && { history: { resource_type: 'tenant', resource_id: tenant.id } })}
        sentence={<Sentence {...accountSentence(user, email_verified)} />}
      />
      <Tabs
        label="Settings"
        tabs={[
          { name: 'Organization', to: '/settings', isOpen: !isOwn && tab !== 'usage' },
          { name: 'Usage', to: '/settings', search: { tab: 'usage' }, isOpen: tab === 'usage' },
          { name: 'Your account', to: '/settings', search: { tab: 'account' }, isOpen: isOwn },
        ]}
      />
      <div className={css.parts}>{isOwn ? <Account /> : tab === 'usage' ? <Usage /> : <Organization />}</div>
    </>
  )
}
