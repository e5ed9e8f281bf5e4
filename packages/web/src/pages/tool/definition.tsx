import { useState } from 'react'
import { whyNot } from '../../api/why-not.ts'
import { Button } from '../../ui/actions/button.tsx'
import { Copy, shortDigest } from '../../ui/actions/copy.tsx'
import { Table } from '../../ui/lists/table.tsx'
import { PageLink } from '../../ui/page/page-link.tsx'
import { Panel } from '../../ui/page/panel.tsx'
import { State } from '../../ui/page/state.tsx'
import { ForeignFrame, ForeignValues } from '../../ui/texts/foreign-text.tsx'
import { Time } from '../../ui/texts/time.tsx'
import { toolWarnings, typesOf } from '../tools/words.ts'
import { PinDialog } from './pin-dialog.tsx'
import css from './tool.module.css'
import type { Tool } from './words.ts'

export type Definition = Tool['definitions'][number]

const unpinned = { glyph: 'proposed', word: 'Not pinned', tone: 'off' } as const
const pinned = { glyph: 'approved', word: 'Pinned', tone: 'quiet' } as const
export const pinOf = (isPinned: boolean) => (isPinned ? pinned : unpinned)

/** One definition as the server declared it, and the list of all that are kept. */
export function DefinitionPanel({ tool, definition }: { tool: Tool; definition: Definition }) {
  const isLatest = definition.hash === tool.latest_hash
  return (
    <Panel
      title="Definition"
      legend={<State {...pinOf(definition.pinned)} />}
      more={!isLatest && <PageLink to={`/tools/${tool.id}`}>The latest one</PageLink>}
    >
      <DefinitionFrame
        definition={definition}
        note="Mandate shows it exactly. Automatic checks look for known signs of an attack, see Warnings. Models of agents read these texts."
      />
      <div className={css.versions}>
        <Versions tool={tool} shown={definition.hash} />
      </div>
    </Panel>
  )
}

/** A definition exactly as the server declared it. */
export const DefinitionFrame = ({ definition, note }: { definition: Definition; note: string }) => (
  <ForeignFrame
    title="Declared by the server."
    note={note}
    aside={
      <Copy what="hash of the definition" value={`sha256:${definition.hash}`} shown={shortDigest(definition.hash)} />
    }
  >
    <ForeignValues caption="Fields of the definition" values={valuesOf(definition)} />
  </ForeignFrame>
)

/** The fields of a definition, each with the warnings about it. */
function valuesOf({ definition, warnings }: Definition) {
  return Object.entries(definition).map(([name, value]) => {
    const found = typesOf(warnings.filter(({ where }) => where === name || where.startsWith(`${name}/`)))
    const hit = found.map((type) => toolWarnings[type].word).join(', ')
    return { name, value, ...(hit && { hit }) }
  })
}

/** The definitions that are kept, the newest first. Each can be opened and pinned. */
function Versions({ tool, shown }: { tool: Tool; shown: string }) {
  const [chosen, setChosen] = useState<Definition>()
  return (
    <>
      <Table
        label="Definitions of the tool, the newest first"
        rows={tool.definitions}
        idOf={({ hash }) => hash}
        columns={[
          {
            head: 'Definition',
            cell: ({ hash }) => (
              <PageLink
                to={`/tools/${tool.id}`}
                search={{ definition: hash.slice(0, 12) }}
                isRow
                isCurrent={hash === shown}
              >
                <span className="mono">{shortDigest(hash)}</span>
              </PageLink>
            ),
          },
          { head: 'Pin', cell: ({ pinned: isPinned }) => <State {...pinOf(isPinned)} />, narrow: 'start' },
          { head: 'First declared', cell: ({ first_seen_at: at }) => <Time at={at} /> },
          { head: 'Last declared', cell: ({ last_seen_at: at }) => <Time at={at} />, narrow: 'end' },
          { head: 'Warnings', isNumber: true, cell: ({ warnings }) => String(warnings.length) },
          {
            head: 'Actions',
            isActions: true,
            cell: (definition) =>
              definition.pinned ? null : (
                <Button
                  look="plain"
                  reason="hidden"
                  name={`Pin ${shortDigest(definition.hash)}`}
                  disabledBecause={whyNot(tool, 'pinTool')}
                  onPress={() => setChosen(definition)}
                >
                  Pin
                </Button>
              ),
          },
        ]}
      />
      {chosen && <PinDialog tool={tool} hash={chosen.hash} onClose={() => setChosen(undefined)} />}
    </>
  )
}
