use futures_util::StreamExt;
use reqwest_eventsource::{Event, EventSource};
use std::env::var;

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let key = var("API_KEY").unwrap();
    let request = reqwest::Client::new().get(var("FEED_URL").unwrap()).bearer_auth(key);
    let mut source = EventSource::new(request).unwrap();
    while let Some(event) = source.next().await {
        match event {
            Ok(Event::Message(message)) if !message.data.is_empty() => {
                let event: serde_json::Value = serde_json::from_str(&message.data).unwrap();
                println!("{}", event["subject"]["sequence"]);
            }
            Ok(_) => {}
            Err(error) => eprintln!("{error}"),
        }
    }
}
