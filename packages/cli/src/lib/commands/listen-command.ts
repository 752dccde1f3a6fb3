import { homedir } from 'node:os'
import { join } from 'node:path'
import { Command, InvalidArgumentError, Option } from 'commander'
import type { CommandContext } from '../command-context.ts'
import { wrongUsage } from '../command-error.ts'
import { examples } from '../examples.ts'
import { readOrMakeCertificate } from '../listen/certificate.ts'
import { listenByDelivery } from '../listen/listen-by-delivery.ts'
import { listenByPolling } from '../listen/listen-by-polling.ts'
import { parsePort } from '../parse-port.ts'

interface ListenOptions {
  readonly url?: string
  readonly key?: string
  readonly events?: readonly string[]
  readonly forward?: URL
  readonly port: number
  readonly certificate?: string
  readonly target?: string
  readonly poll?: boolean
  readonly keep?: boolean
  readonly printSecret?: boolean
}

/**
 * The port is part of the target URL. It must be the same in every run, because the next run finds the subscription of
 * a killed run by that URL.
 */
const DEFAULT_PORT = 8789

/** `callboard listen`: receives events on this machine. */
export function listenCommand(context: CommandContext): Command {
  const { out, err, env } = context
  return new Command('listen')
    .summary('receive events on this machine, verify them, and forward them')
    .description(
      'Creates a subscription through the API of a platform, verifies and prints each delivery, ' +
        'and unsubscribes on Ctrl-C. With --forward, your own server gets each delivery, body and headers unchanged, ' +
        "and the platform gets your server's response.",
    )
    .addOption(new Option('--url <url>', "address of the platform's API, up to /v1").env('CALLBOARD_URL'))
    .addOption(
      new Option('--key <key>', 'an API key; giving it in the environment variable is safer').env('CALLBOARD_KEY'),
    )
    .option('--events <types...>', 'only these event types (default: all)')
    .addOption(new Option('--forward <url>', 'forward deliveries to this address').argParser(parseHttpUrl))
    .addOption(new Option('--forward-to <url>', 'same as --forward').argParser(parseHttpUrl).hideHelp())
    .addOption(
      new Option('--port <port>', 'the port to listen on; 0 picks any free port')
        .argParser(parsePort)
        .default(DEFAULT_PORT),
    )
    .option(
      '--certificate <file>',
      'certificate and key in PEM; created if the file is missing (default: ~/.callboard/listen.pem)',
    )
    .option(
      '--target <url>',
      "an address that leads to this machine, such as a tunnel's; the command then speaks plain HTTP",
    )
    .option(
      '--poll',
      'read /v1/events instead, for platforms that cannot reach this machine; these events are not signed',
    )
    .option('--keep', 'keep the subscription and its secret for the next run')
    .option('--print-secret', 'print the signing secret, for your own server to verify with')
    .addHelpText(
      'after',
      `${examples(
        'callboard listen --url http://localhost:8787',
        'callboard listen --forward http://localhost:3000/hook --events order.paid --print-secret',
        'callboard listen --url https://api.example.com --poll',
      )}

The platform must be able to reach this machine and must trust the certificate. If it runs on this machine, add
localhost and 127.0.0.0/8 to its option \`targets\`, and start it with NODE_EXTRA_CA_CERTS=~/.callboard/listen.pem.
If its httpLoopbackHosts include 127.0.0.1, neither is necessary: add --target http://127.0.0.1:8789/.`,
    )
    .action(async ({ forwardTo, ...options }: ListenOptions & { readonly forwardTo?: URL }) => {
      const { url, key, target, poll, keep = false, port, certificate } = options
      if (!url || !key)
        throw wrongUsage(
          'Name the platform: set CALLBOARD_URL (or --url) to the address of its API, and CALLBOARD_KEY to an API key.',
        )
      if (poll === true && (target !== undefined || keep || certificate !== undefined))
        throw wrongUsage('--poll creates no subscription: leave out --target, --certificate and --keep.')
      const settings = {
        // The client adds /v1 itself, but people often copy an address that already ends with it.
        url: url.replace(/\/v1\/?$/, ''),
        key,
        eventTypes: options.events,
        forwardTo: options.forward ?? forwardTo,
        printSecret: options.printSecret === true,
        signal: context.signal(),
      }
      if (poll === true) return listenByPolling(settings, out, err)
      const path =
        certificate ?? (target === undefined ? join(env['HOME'] ?? homedir(), '.callboard', 'listen.pem') : undefined)
      const pair = path === undefined ? undefined : await readOrMakeCertificate(path)
      if (pair?.made === true)
        err.note(
          `Created a certificate for localhost. Restart the platform with NODE_EXTRA_CA_CERTS=${path} to trust it.`,
        )
      return listenByDelivery({ ...settings, port, certificate: pair, certificatePath: path, target, keep }, out, err)
    })
}

function parseHttpUrl(text: string): URL {
  const url = URL.parse(text)
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new InvalidArgumentError('Expected a URL such as http://localhost:3000/hook.')
  return url
}
