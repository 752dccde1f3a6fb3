<?php
require __DIR__ . '/vendor/autoload.php';

$webhook = new StandardWebhooks\Webhook(getenv('WEBHOOK_SECRET'));

try {
    // php://input is the raw body. The library needs lower-case header names, which getallheaders() does not return.
    $event = $webhook->verify(file_get_contents('php://input'), [
        'webhook-id' => $_SERVER['HTTP_WEBHOOK_ID'] ?? null,
        'webhook-timestamp' => $_SERVER['HTTP_WEBHOOK_TIMESTAMP'] ?? null,
        'webhook-signature' => $_SERVER['HTTP_WEBHOOK_SIGNATURE'] ?? null,
    ]);
} catch (StandardWebhooks\Exception\WebhookVerificationException $error) {
    http_response_code(400);
    exit;
}
if ($event['type'] === 'order.paid') {
    error_log('paid ' . $event['data']['order']['id']);
}
http_response_code(204);
