import { useSearch } from '@tanstack/react-router'
import { useSession } from '../../session/session.ts'
import { ShortcutList } from '../../shell/keys/shortcut-list.tsx'
import { PageHead } from '../../ui/page/page-head.tsx'
import { Panel } from '../../ui/page/panel.tsx'
import { Tabs } from '../../ui/page/tabs.tsx'
import { Sentence } from '../../ui/texts/sentence.tsx'
import { ownRole } from '../../words/words.ts'
import { Documentation } from './documentation.tsx'
import css from './help.module.css'
import { Roles } from './roles.tsx'
import { Words } from './words.tsx'

const tabs = [
  { tab: undefined, name: 'Roles' },
  { tab: 'glossary', name: 'Glossary' },
  { tab: 'keyboard', name: 'Keyboard' },
  { tab: 'documentation', name: 'Documentation' },
]

/** Who may do what, what do the words mean, and where is more? */
export function HelpPage() {
  const { tab } = useSearch({ from: '/inside/help' })
  const { user, tenant } = useSession()
  const notes = [
    ...(user.read_only ? ['You see what this role sees, and change only your own sign-in and name.'] : []),
    ...(user.access_scope === 'scoped' ? ['You see only what you were given access to.'] : []),
  ]
  const open = tabs.find((one) => one.tab === tab) ?? tabs[0]
  return (
    <>
      <PageHead
        name="Help"
        sentence={
          <Sentence
            waiting={[{ text: `You are ${ownRole(user, tenant.name)}` }]}
            fine={notes.length > 0 ? notes.join(' ') : undefined}
          />
        }
        isStill
      />
      <Tabs
        label="Help"
        tabs={tabs.map(({ tab, name }) => ({ name, to: '/help', search: { tab }, isOpen: open?.tab === tab }))}
      />
      <div className={css.parts}>
        {open?.tab === 'glossary' ? (
          <Words />
        ) : open?.tab === 'keyboard' ? (
          <Panel title="Keyboard shortcuts">
            <p className={css.note}>
              Press ? on any page to see this list, and to switch the shortcuts of one key off.
            </p>
            <ShortcutList />
          </Panel>
        ) : open?.tab === 'documentation' ? (
          <Documentation />
        ) : (
          <Roles user={user} />
        )}
      </div>
    </>
  )
}
