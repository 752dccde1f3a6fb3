import { homedir } from 'node:os'
import { Command, InvalidArgumentError, Option } from 'commander'
import type { CommandContext } from '../command-context.ts'
import { wrongUsage } from '../command-error.ts'
import { examples } from '../examples.ts'
import { listen } from '../listen/listen.ts'
import { openListenState } from '../listen/listen-state.ts'

interface ListenOptions {
  readonly url?: string
  readonly key?: string
  readonly events?: readonly string[]
  readonly forwardTo?: URL
  readonly printSecret?: boolean
}

/** `callboard listen`: follows a platform's events on this machine. */
export function listenCommand(context: CommandContext): Command {
  const { out, err, env } = context
  return new Command('listen')
    .summary('follow events on this machine, and forward them to your own server')
    .description(
      'Prints the events of an account as they happen, and with --forward-to sends each of them to your own server, ' +
        'signed as a delivery is. It reads them from the API, so the platform need not reach this machine. ' +
        'The next run continues where this one stopped.',
    )
    .addOption(new Option('--url <url>', "address of the platform's API, up to /v1").env('CALLBOARD_URL'))
    .addOption(
      new Option('--key <key>', 'an API key with webhooks.read; giving it in the environment variable is safer').env(
        'CALLBOARD_KEY',
      ),
    )
    .option('--events <types...>', 'only these event types (default: all)')
    .addOption(new Option('--forward-to <url>', 'send each event to this address').argParser(parseHttpUrl))
    .option('--print-secret', 'print the secret that signs forwarded events, for your own server to verify with')
    .addHelpText(
      'after',
      examples(
        'callboard listen --url http://localhost:8787',
        'callboard listen --forward-to http://localhost:3000/hook --events order.paid --print-secret',
      ),
    )
    .action(async ({ events, forwardTo, printSecret = false, ...options }: ListenOptions) => {
      if (!options.url || !options.key)
        throw wrongUsage(
          'Name the platform: set CALLBOARD_URL (or --url) to the address of its API, and CALLBOARD_KEY to an API key.',
        )
      // The client adds /v1 itself, but people often copy an address that already ends with it.
      const platform = { url: options.url.replace(/\/v1\/?$/, ''), key: options.key, eventTypes: events }
      const state = await openListenState(env['HOME'] ?? homedir(), platform)
      await listen({ ...platform, forwardTo, printSecret, state, signal: context.signal() }, out, err)
    })
}

function parseHttpUrl(text: string): URL {
  const url = URL.parse(text)
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new InvalidArgumentError('Expected a URL such as http://localhost:3000/hook.')
  return url
}
