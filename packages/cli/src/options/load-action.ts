/** The function `name` of a module, which is imported when the function runs, so that other commands start faster. */
export function loadAction<Name extends string, Module extends Record<Name, (...words: never[]) => Promise<unknown>>>(
  load: () => Promise<Module>,
  name: Name,
): Module[Name] {
  const action = async (...words: never[]) => (await load())[name](...words)
  return action as Module[Name]
}
