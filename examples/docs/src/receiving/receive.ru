require 'standardwebhooks'

WEBHOOK = StandardWebhooks::Webhook.new(ENV.fetch('WEBHOOK_SECRET'))

run lambda { |env|
  begin
    # rack.input is the raw body. The library needs these three header names.
    event = WEBHOOK.verify(env['rack.input'].read, {
      'webhook-id' => env['HTTP_WEBHOOK_ID'],
      'webhook-timestamp' => env['HTTP_WEBHOOK_TIMESTAMP'],
      'webhook-signature' => env['HTTP_WEBHOOK_SIGNATURE']
    })
    warn "paid #{event['data']['order']['id']}" if event['type'] == 'order.paid'
    [204, {}, []]
  rescue StandardWebhooks::WebhookVerificationError
    [400, {}, []]
  end
}
