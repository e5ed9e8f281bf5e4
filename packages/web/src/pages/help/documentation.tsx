import { facts } from 'virtual:help-facts'
import { basePath } from '../../api/server-url.ts'
import { KeyValues } from '../../ui/lists/key-values.tsx'
import { Panel } from '../../ui/page/panel.tsx'
import css from './help.module.css'
import { Marked } from './marked.tsx'

const addresses = [
  [`${basePath}/docs`, 'API documentation', 'every operation of the HTTP API, with examples'],
  [`${basePath}/api/v1/openapi.json`, 'OpenAPI document', 'the same for programs'],
  [`${basePath}/getting-started`, 'First steps in a terminal', 'the first requests, one after another'],
] as const

/** Where more is written: at this server, and in the folder of Mandate. */
export function Documentation() {
  return (
    <>
      <Panel title="At this server">
        <KeyValues
          rows={addresses.map(([href, name, content]) => [
            name,
            <>
              <a href={href} target="_blank" rel="noreferrer">
                {href}
              </a>
              : {content}
            </>,
          ])}
        />
      </Panel>
      <Panel title="In the folder of Mandate">
        <p className={css.note}>
          These files are part of Mandate. Ask the people who run this server if you do not have them.
        </p>
        <dl className={css.words}>
          {facts.pages.map(({ path, content }) => (
            <div key={path}>
              <dt>
                <code>{path}</code>
              </dt>
              <dd>
                <Marked text={content} />
              </dd>
            </div>
          ))}
        </dl>
      </Panel>
    </>
  )
}
