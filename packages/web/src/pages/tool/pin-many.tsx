import { doubtOfLatest } from '@mandate/sdk/people/latest-definition'
import { type UseQueryResult, useQueries } from '@tanstack/react-query'
import { useState } from 'react'
import { client } from '../../api/client.ts'
import { useEnvironments, usePlaceOf } from '../../api/environments.ts'
import { read, readAfterWrite } from '../../api/queries.ts'
import { Confirm } from '../../ui/dialogs/dialog.tsx'
import type { NotChangedRow } from '../../ui/dialogs/not-changed.tsx'
import { tell } from '../../ui/dialogs/toast.tsx'
import { Check } from '../../ui/fields/check.tsx'
import { PageLink } from '../../ui/page/page-link.tsx'
import { State } from '../../ui/page/state.tsx'
import { Diff } from '../../ui/texts/diff.tsx'
import { Name } from '../../ui/texts/name.tsx'
import { Failed, Loading } from '../../ui/texts/notes.tsx'
import { ToolName } from '../../ui/texts/tool-name.tsx'
import { counted } from '../../words/words.ts'
import { ToolWarnings } from '../tools/tool-warnings.tsx'
import { hasUnpinned, type Tool as Row, toolStates, whyLook } from '../tools/words.ts'
import { DefinitionFrame } from './definition.tsx'
import css from './tool.module.css'
import { hunksOf, pinEffects, type Tool, whyNotKeep } from './words.ts'

interface PinManyProps {
  tools: readonly Row[]
  /** Called after the act, with the ids of the tools that got a pin, and what the server refused. */
  onDone: (pinned: ReadonlySet<string>, refused: readonly NotChangedRow[]) => void
  onClose: () => void
}

/** Pins the latest definition of each of the tools. It shows every definition first, and pins exactly what it shows. */
export function PinMany({ tools, onDone, onClose }: PinManyProps) {
  const { environments } = useEnvironments()
  // What the person reads must not change under their eyes, and must be what the server has now.
  const reads = useQueries({
    queries: tools.map(({ id }) => ({
      ...read('getTool', { path: { tool_id: id } }),
      staleTime: 'static' as const,
      gcTime: 0,
    })),
  })
  const [choices, setChoices] = useState<ReadonlyMap<string, boolean>>(new Map())
  const [keepsOthers, setKeepsOthers] = useState(false)
  const [done, setDone] = useState(0)
  const found = reads.flatMap(({ data }) => data ?? [])
  const chosen = found.filter((tool) => whyNotHere(tool) === undefined && (choices.get(tool.id) ?? !whyLook(tool)))
  const places = (environments ?? []).filter(({ id }) => tools.some(({ environment_id }) => environment_id === id))
  const because = chosen.map(whyNotKeep).find((reason) => reason !== undefined)
  const keeps = keepsOthers && because === undefined
  const act = async () => {
    const pinned = new Set<string>()
    const refused: NotChangedRow[] = []
    try {
      for (const { id, tool: name, latest_hash, pinned_hashes } of chosen) {
        const definition_hashes = keeps ? [...pinned_hashes, latest_hash] : [latest_hash]
        await client
          .call('pinTool', { path: { tool_id: id }, body: { definition_hashes } })
          .then(() => pinned.add(id))
          .catch((error: Error) => refused.push({ id, name, error: error.message }))
        setDone(pinned.size + refused.length)
      }
    } finally {
      await readAfterWrite('pinTool')
    }
    if (pinned.size > 0) tell(`Pinned ${counted(pinned.size, '# tool', '# tools')}.`)
    onDone(pinned, refused)
  }
  const isReading = reads.some(({ isPending }) => isPending)
  return (
    <Confirm
      title={counted(tools.length, 'Pin the latest definition of # tool?', 'Pin the latest definitions of # tools?')}
      verb={chosen.length === 0 ? 'Pin' : counted(chosen.length, 'Pin # definition', 'Pin # definitions')}
      isWide
      missing={
        isReading
          ? 'Mandate is still reading the definitions.'
          : chosen.length === 0
            ? 'Choose a definition first.'
            : undefined
      }
      act={act}
      onClose={onClose}
    >
      <p>A pin says that you have read the definition and agree with it. Edges learn it at once.</p>
      {places.map(({ id, name, tool_pinning }) => (
        <p key={id}>
          {places.length > 1 && (
            <>
              <Name>{name}</Name>:{' '}
            </>
          )}
          {pinEffects[tool_pinning]}
        </p>
      ))}
      {reads.map((answer, index) => {
        const row = tools[index] as Row
        return (
          <Latest
            key={row.id}
            row={row}
            read={answer}
            isOn={chosen.some(({ id }) => id === row.id)}
            onChange={(isOn) => setChoices((before) => new Map(before).set(row.id, isOn))}
          />
        )
      })}
      {chosen.some(({ pinned_hashes: others }) => others.length > 0) && (
        <Check
          label="Keep the definitions that are pinned now"
          isOn={keeps}
          onChange={setKeepsOthers}
          disabledBecause={because}
          hint="For servers that declare different definitions to different agents."
        />
      )}
      <p role="status">{done > 0 && `${done} of ${chosen.length} done.`}</p>
    </Confirm>
  )
}

/** Why the latest definition of the tool cannot be pinned among others. */
function whyNotHere(tool: Tool): string | undefined {
  if (!hasUnpinned(tool)) return 'The latest definition is pinned already.'
  const doubt = doubtOfLatest(tool)
  return doubt && `It is not pinned here, because ${doubt.why}. Choose the definition on the page of the tool.`
}

interface LatestProps {
  row: Row
  read: UseQueryResult<Tool>
  isOn: boolean
  onChange: (isOn: boolean) => void
}

/** The latest definition of a tool, and what it changes against the pinned one. */
function Latest({ row, read: { data: tool, error, refetch }, isOn, onChange }: LatestProps) {
  const placeOf = usePlaceOf()
  const definition = tool?.definitions.find(({ hash }) => hash === tool.latest_hash)
  const because = tool && whyNotHere(tool)
  return (
    <section className={css.latest} aria-label={row.tool}>
      <h3>
        <ToolName tool={row.tool} />
      </h3>
      <p className={css.facts}>
        <State {...toolStates[row.state]} />
        <Name>{placeOf(row.environment_id)}</Name>
        {definition && definition.warnings.length > 0 && <ToolWarnings warnings={definition.warnings} />}
      </p>
      {!tool && (error ? <Failed error={error} onRetry={() => void refetch()} /> : <Loading rows={3} />)}
      {tool?.diff && <Diff hunks={hunksOf(tool.diff)} beforeName="Pinned definition" afterName="Latest definition" />}
      {definition && <DefinitionFrame definition={definition} note="Mandate shows it exactly." />}
      {tool?.state === 'blocked' && <p>The tool stays blocked.</p>}
      {because === undefined ? (
        tool && (
          <Check
            label={
              <>
                Pin <ToolName tool={row.tool} />
              </>
            }
            isOn={isOn}
            onChange={onChange}
            hint={whyLook(tool)}
          />
        )
      ) : (
        <p>
          {because} <PageLink to={`/tools/${row.id}`}>Open the tool</PageLink>
        </p>
      )}
    </section>
  )
}
