import { Fragment } from 'react'
import { hasHidden } from './hidden-characters.ts'
import { Name } from './name.tsx'
import css from './tool-name.module.css'

/** The name of a tool. It breaks after its parts where it is too long for one line, and is never cut. */
export function ToolName({ tool }: { tool: string }) {
  if (hasHidden(tool)) return <Name className={`mono ${css.name}`}>{tool}</Name>
  return (
    <bdi className={`mono ${css.name}`}>
      {tool.split(/(?<=[:/._-])/).map((part, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a name never move
        <Fragment key={index}>
          {index > 0 && <wbr />}
          {part}
        </Fragment>
      ))}
    </bdi>
  )
}
