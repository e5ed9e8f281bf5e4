import { type List, useList } from '../../api/use-list.ts'
import { ListPart } from '../../ui/lists/list-part.tsx'
import { Table } from '../../ui/lists/table.tsx'
import { PageHead } from '../../ui/page/page-head.tsx'
import { State } from '../../ui/page/state.tsx'
import { Name } from '../../ui/texts/name.tsx'
import { Empty } from '../../ui/texts/notes.tsx'
import { Sentence } from '../../ui/texts/sentence.tsx'
import { Time } from '../../ui/texts/time.tsx'
import { numberOf } from '../../words/words.ts'
import { clausesOf, fineOf, type Model, stateOf } from './words.ts'

/** Which models do agents use, and do their records say so? */
export function ModelsPage() {
  const list = useList('listModels', { query: { limit: 200 } }, { keyOf: ({ model }) => model })
  const { rows, total = 0 } = list
  return (
    <>
      <PageHead name="Models" sentence={rows && <Sentence wrong={clausesOf(rows)} fine={fineOf(total)} />} />
      <ListPart
        list={list}
        empty={
          <Empty>
            No agent declares a model, and no edge has decided a call of a model. The record of an agent names its
            model: choose Edit on the page of the agent.
          </Empty>
        }
      >
        {() => <ModelTable list={list} />}
      </ListPart>
    </>
  )
}

function ModelTable({ list: { rows = [] } }: { list: List<Model> }) {
  return (
    <Table
      label="Models, by name"
      rows={rows}
      idOf={({ model }) => model}
      columns={[
        { head: 'Model', cell: ({ model }) => <Name>{model}</Name> },
        { head: 'State', cell: (model) => <State {...stateOf(model)} />, narrow: 'start' },
        { head: 'Agents', isNumber: true, cell: ({ agents }) => numberOf(agents) },
        { head: 'Declare it', isNumber: true, cell: ({ declared }) => numberOf(declared) },
        { head: 'Use it', isNumber: true, cell: ({ observed }) => numberOf(observed) },
        { head: 'Calls in 30 days', isNumber: true, cell: ({ calls_30d: calls }) => numberOf(calls) },
        {
          head: 'Last call',
          cell: ({ last_seen_at: at }) => (at ? <Time at={at} /> : 'none'),
          narrow: 'end',
        },
      ]}
    />
  )
}
