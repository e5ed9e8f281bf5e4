import { buttonClass } from '../actions/button.tsx'
import { PageLink } from './page-link.tsx'

/** Opens the number of calls of each agent in a period: which agents ran, and how much. */
export const CallsByAgent = () => (
  <PageLink to="/settings" search={{ tab: 'usage', by: 'agent' }} className={buttonClass()}>
    Calls by agent
  </PageLink>
)
