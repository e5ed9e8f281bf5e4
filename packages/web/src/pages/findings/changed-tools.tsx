import type { Schema } from '@mandate/sdk'
import { PageLink } from '../../ui/page/page-link.tsx'
import { ToolName } from '../../ui/texts/tool-name.tsx'
import { toolsOf } from './tools-of.ts'

/** Links to the tools whose definitions changed. Nothing for findings of other types. */
export function ChangedTools({ finding }: { finding: Schema<'Finding'> }) {
  const tools = toolsOf(finding)
  if (tools.length === 0) return null
  return (
    <ul aria-label="Tools that changed">
      {tools.map(({ id, tool }) => (
        <li key={id}>
          <PageLink to={`/tools/${id}`}>
            <ToolName tool={tool} />
          </PageLink>
        </li>
      ))}
    </ul>
  )
}
