//! Generates the stubs from `../../proto` with compilers that cargo builds, so that no `protoc` is needed.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::{env, fs};

use protox::prost::Message;

const PROTO: &str = "../../proto";
/// What bots speak.
const PLAY: &str = "lastcard/v1";
/// What the conformance vectors are written in, which only the tests read.
const VECTORS: &str = "lastcard/conformance/v1";

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo:rerun-if-changed={PROTO}/lastcard");
    let out = PathBuf::from(env::var("OUT_DIR")?);
    tonic_prost_build::configure().compile_fds(protox::compile(proto_files(PLAY)?, [PROTO])?)?;

    let mut vectors = protox::compile(proto_files(VECTORS)?, [PROTO])?;
    fs::write(out.join("vectors.bin"), vectors.encode_to_vec())?;
    vectors.file.retain(|file| file.name().starts_with(VECTORS));
    tonic_prost_build::configure().extern_path(".lastcard.v1", "::lastcard_bot::v1").compile_fds(vectors)?;
    Ok(())
}

/// The `.proto` files of a folder, sorted.
fn proto_files(folder: &str) -> Result<Vec<PathBuf>, Box<dyn Error>> {
    let folder = Path::new(PROTO).join(folder);
    let mut files = Vec::new();
    for entry in fs::read_dir(&folder).map_err(|error| format!("no protocol at {}: {error}", folder.display()))? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "proto") {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}
