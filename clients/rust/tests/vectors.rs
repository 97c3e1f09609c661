//! The conformance vectors, read with this client's own stubs, and the chance, keys and chains among them computed anew
//! from `tests/conformance/README.md`.

use std::fs;
use std::path::PathBuf;
use std::sync::LazyLock;

use prost::Message;
use prost_reflect::{DescriptorPool, DynamicMessage, ReflectMessage};

#[path = "vectors/chance.rs"]
mod chance;
#[path = "vectors/records.rs"]
mod records;

/// The stubs of the vectors' schema.
#[allow(clippy::all)]
mod stubs {
    tonic::include_proto!("lastcard.conformance.v1");
}

use stubs::{ChanceVectors, DealVectors, DisguiseVectors, GameVectors, KeyVectors, RecordVectors, RefusalVectors};

static POOL: LazyLock<DescriptorPool> = LazyLock::new(|| {
    let descriptors = include_bytes!(concat!(env!("OUT_DIR"), "/vectors.bin"));
    DescriptorPool::decode(descriptors.as_slice()).expect("descriptors that the build wrote")
});

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/conformance/vectors")
}

/// A message from protobuf-JSON; a field that its schema does not have is an error.
fn from_json<M: Message + Default>(message: &str, json: &str) -> Result<M, String> {
    let descriptor = POOL.get_message_by_name(message).expect("a message of the schema");
    let mut reader = serde_json::Deserializer::from_str(json);
    let dynamic = DynamicMessage::deserialize(descriptor, &mut reader).map_err(|error| error.to_string())?;
    reader.end().map_err(|error| error.to_string())?;
    dynamic.transcode_to().map_err(|error| error.to_string())
}

/// The vectors of a file.
fn vectors<M: Message + Default>(file: &str) -> M {
    let json = fs::read_to_string(folder().join(file)).expect("a file of vectors");
    let name = std::any::type_name::<M>().rsplit("::").next().expect("a name");
    from_json(&format!("lastcard.conformance.v1.{name}"), &json).unwrap_or_else(|error| panic!("{file}: {error}"))
}

#[test]
fn every_file_is_read_by_the_stubs() {
    let mut files: Vec<String> = fs::read_dir(folder())
        .expect("the vectors")
        .map(|entry| entry.expect("an entry").file_name().into_string().expect("a plain name"))
        .filter(|name| name.ends_with(".json"))
        .collect();
    files.sort();
    for file in files {
        let cases = match file.as_str() {
            "chance.json" => vectors::<ChanceVectors>(&file).shuffles.len(),
            "deals.json" => vectors::<DealVectors>(&file).deals.len(),
            "disguises.json" => vectors::<DisguiseVectors>(&file).disguises.len(),
            "games.json" => vectors::<GameVectors>(&file).games.len(),
            "keys.json" => vectors::<KeyVectors>(&file).commitments.len(),
            "records.json" => vectors::<RecordVectors>(&file).records.len(),
            "refusals.json" => vectors::<RefusalVectors>(&file).games.len(),
            _ => panic!("{file} is new; say here which message it holds"),
        };
        assert!(cases > 0, "{file} holds nothing");
    }
}

#[test]
fn events_survive_the_way_through_the_stubs() {
    let games = vectors::<GameVectors>("games.json").games;
    let event = games[0].events.first().expect("an event");
    let descriptor = POOL.get_message_by_name("lastcard.v1.Event").expect("a message of the schema");
    let dynamic = DynamicMessage::decode(descriptor, event.encode_to_vec().as_slice()).expect("an event");
    assert_eq!(dynamic.descriptor().full_name(), "lastcard.v1.Event");
    assert_eq!(dynamic.transcode_to::<lastcard_bot::v1::Event>().as_ref(), Ok(event));
    assert!(games.iter().all(|game| game.events.iter().zip(1..).all(|(event, number)| event.sequence == number)));
}

#[test]
fn a_field_that_the_schema_does_not_have_is_an_error() {
    let read = from_json::<ChanceVectors>("lastcard.conformance.v1.ChanceVectors", r#"{"about": "", "nonsense": 1}"#);
    assert!(read.expect_err("an error").contains("nonsense"));
}
