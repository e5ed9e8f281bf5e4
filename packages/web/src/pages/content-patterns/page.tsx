import type { Schema } from '@mandate/sdk'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { read, useWrite } from '../../api/queries.ts'
import { whyNot } from '../../api/why-not.ts'
import { useSession } from '../../session/session.ts'
import { Button } from '../../ui/actions/button.tsx'
import { Confirm } from '../../ui/dialogs/dialog.tsx'
import { tell } from '../../ui/dialogs/toast.tsx'
import { useDialog } from '../../ui/dialogs/use-dialog.ts'
import { Table } from '../../ui/lists/table.tsx'
import { HistoryLink } from '../../ui/page/history-link.tsx'
import { PageHead } from '../../ui/page/page-head.tsx'
import { Panel } from '../../ui/page/panel.tsx'
import { Name } from '../../ui/texts/name.tsx'
import { Failed, Loading } from '../../ui/texts/notes.tsx'
import { counted, numberOf } from '../../words/words.ts'
import css from './content-patterns.module.css'
import { EditPattern } from './edit-pattern.tsx'
import { TestPanel } from './test-panel.tsx'

type Pattern = Schema<'ContentPattern'>

/** What can policies find in the content of calls? */
export function ContentPatternsPage() {
  const session = useSession()
  const { data, error, refetch } = useQuery(read('listContentPatterns', { query: { include: 'may' } }))
  const [edited, setEdited] = useState<Pattern>()
  const [deleted, setDeleted] = useState<Pattern>()
  const refused = whyNot(session, 'createContentPattern')
  const dialog = useDialog({ create: refused })
  const patterns = data?.data ?? []
  const own = patterns.filter(({ builtin }) => !builtin)
  const builtin = patterns.filter((pattern) => pattern.builtin)
  return (
    <>
      <PageHead
        name="Content patterns"
        sentence={
          data && (
            <>
              Policies can look for {counted(builtin.length, '# built-in pattern', '# built-in patterns')}
              {own.length > 0 && ` and ${numberOf(own.length)} of your own`}. A policy says what happens when one
              matches.
            </>
          )
        }
        actions={
          <Button look="act" disabledBecause={refused} onPress={() => dialog.open('create')}>
            Create pattern
          </Button>
        }
      />
      <div className={css.parts}>
        <Panel title="Patterns">
          {error && <Failed error={error} onRetry={() => void refetch()} />}
          {!data && !error && <Loading rows={12} />}
          {data && (
            <Table
              label="Content patterns"
              rows={[...own.toReversed(), ...builtin]}
              idOf={({ id }) => id}
              columns={[
                { head: 'Name', cell: ({ name }) => <Name>{name}</Name> },
                { head: 'Group', cell: ({ group }) => <Name>{group}</Name>, narrow: 'start' },
                {
                  head: 'What it finds',
                  cell: ({ builtin, words, expression }) =>
                    builtin ? (
                      'Built in'
                    ) : (
                      <code className={css.expression}>
                        <Name>{words ? words.join(', ') : (expression ?? '')}</Name>
                      </code>
                    ),
                },
                {
                  head: 'Actions',
                  isActions: true,
                  cell: (pattern) =>
                    !pattern.builtin && (
                      <>
                        <Button
                          look="plain"
                          reason="hidden"
                          name={`Edit ${pattern.name}`}
                          disabledBecause={whyNot(pattern, 'updateContentPattern')}
                          onPress={() => setEdited(pattern)}
                        >
                          Edit
                        </Button>
                        <Button
                          look="plain"
                          reason="hidden"
                          name={`Delete ${pattern.name}`}
                          disabledBecause={whyNot(pattern, 'deleteContentPattern')}
                          onPress={() => setDeleted(pattern)}
                        >
                          Delete
                        </Button>
                        <HistoryLink
                          of={{ resource_type: 'content_pattern', resource_id: pattern.id }}
                          name={pattern.name}
                        />
                      </>
                    ),
                },
              ]}
            />
          )}
        </Panel>
        <TestPanel patterns={data?.data} />
      </div>
      {dialog.name === 'create' && <EditPattern onClose={dialog.close} />}
      {edited && (
        <EditPattern
          pattern={data?.data.find(({ id }) => id === edited.id) ?? edited}
          onClose={() => setEdited(undefined)}
        />
      )}
      {deleted && <DeletePattern pattern={deleted} onClose={() => setDeleted(undefined)} />}
    </>
  )
}

function DeletePattern({ pattern, onClose }: { pattern: Pattern; onClose: () => void }) {
  const write = useWrite('deleteContentPattern')
  return (
    <Confirm
      title={`Delete ${pattern.name}?`}
      verb="Delete"
      look="danger"
      isFinal
      onClose={onClose}
      act={async () => {
        await write.mutateAsync({ path: { pattern_id: pattern.id } })
        tell(`Deleted ${pattern.name}.`)
      }}
    >
      <p>A pattern that a policy binds cannot be deleted.</p>
    </Confirm>
  )
}
