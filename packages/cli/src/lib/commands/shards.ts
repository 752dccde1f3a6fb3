import { setSequencerShards } from '@callboard/store-postgres'
import { Command } from 'commander'
import type { CommandContext } from '../command-context.ts'
import { examples } from '../examples.ts'
import { parseCount } from '../option-values.ts'

/** `callboard shards`: sets how many shards the sequencer has. */
export function shardsCommand(context: CommandContext): Command {
  return new Command('shards')
    .summary('set how many workers can sequence events at the same time')
    .description(
      'Sets how many shards the sequencer has, from 1 to 64. A new database has 1. Each account belongs to one ' +
        'shard, and a shard is sequenced by one worker at a time. Publishers and workers may keep running.',
    )
    .argument('<number>', 'how many shards', parseCount)
    .addHelpText('after', examples('callboard shards 8'))
    .action(async (shards: number) => {
      const { pool, schema } = await context.openDatabase()
      const client = await pool.connect()
      try {
        const before = await setSequencerShards(client, shards, { schema })
        context.done(
          { shards, before },
          `The sequencer has ${shards} ${shards === 1 ? 'shard' : 'shards'}; it had ${before}.`,
        )
      } finally {
        client.release()
      }
    })
}
