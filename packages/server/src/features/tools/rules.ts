import { byAccessOnly, type Rules } from '../../authz/may.ts'
import { mayPart } from '../../caller/may-part.ts'

const toolRules: Rules<unknown> = {
  pinTool: byAccessOnly,
  unpinTool: byAccessOnly,
  blockTool: byAccessOnly,
  unblockTool: byAccessOnly,
  labelTool: byAccessOnly,
}

export const toolMay = mayPart(toolRules, () => (tool: object) => tool)
