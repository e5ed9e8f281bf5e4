import { buttonClass } from '../actions/button.tsx'
import { PageLink } from './page-link.tsx'

/** A link to the usage by agent: how many calls each agent made in a period. */
export const CallsByAgent = () => (
  <PageLink to="/settings" search={{ tab: 'usage', by: 'agent' }} className={buttonClass()}>
    Calls by agent
  </PageLink>
)
