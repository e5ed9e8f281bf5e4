import { type Command, InvalidArgumentError, Option } from 'commander'
import { withOutput } from '../output/format.ts'
import { withList } from '../output/show.ts'
import { listBindingVersions, replaceBindings, showBindings, showBindingVersion } from './bindings.ts'
import { createPattern, deletePattern, listPatterns, updatePattern } from './patterns.ts'
import { testPatterns } from './test-patterns.ts'

const several = (word: string, before: string[] = []) => [...before, word]

/** Adds `content …` for content rules. Commands take the id or the name of a pattern and of a policy. */
export function addContentCommands(program: Command): void {
  const content = program.command('content').description('content rules: patterns, and what policies do about them')
  withOutput(content.command('patterns').description('list content patterns, the built-in ones first'))
    .option('--group <group>', 'only patterns of this group')
    .action(listPatterns)
  withPattern(withOutput(content.command('create <name>').description('create a pattern (managers)')))
    .requiredOption('--group <group>', 'the group of the pattern')
    .action(createPattern)
  withPattern(withOutput(content.command('update <pattern>').description('change a pattern (managers)')))
    .option('--name <name>', 'the new name')
    .option('--group <group>', 'the new group')
    .action(updatePattern)
  content
    .command('delete <pattern>')
    .description('delete a pattern that no policy binds (managers)')
    .option('--yes', 'do not ask for confirmation')
    .action(deletePattern)
  withOutput(content.command('test').description('find patterns in the text on standard input'))
    .option('--pattern <pattern>', 'only this pattern; may be repeated', several)
    .action(testPatterns)
  withOutput(content.command('bindings <policy>').description('show what a policy does about patterns')).action(
    showBindings,
  )
  withOutput(content.command('bind <policy>').description('replace all content bindings of a policy'))
    .addOption(
      new Option('--set <binding>', '<pattern or group>:<arguments|results>:<action>[:<label>]; may be repeated')
        .argParser(several)
        .conflicts('none'),
    )
    .option('--none', 'remove all bindings')
    .option('--if-version <version>', 'only if this is the current version of the bindings', versionNumber)
    .action(replaceBindings)
  withList(content.command('versions <policy>').description('list the versions of the bindings, newest first')).action(
    listBindingVersions,
  )
  withOutput(content.command('version <policy>').description('show a version of the bindings'))
    .argument('<version>', 'the number of the version', versionNumber)
    .action(showBindingVersion)
}

function withPattern(command: Command): Command {
  return command
    .addOption(new Option('--expression <re2>', 'a regular expression in RE2 syntax').conflicts('word'))
    .option('--word <text>', 'a word or phrase; may be repeated', several)
}

function versionNumber(text: string): number {
  if (!/^\d{1,10}$/.test(text)) throw new InvalidArgumentError('The value must be a version number.')
  return Number(text)
}
