use super::{Arguments, Settings};

fn find(arguments: Arguments, environment: &[(&str, &str)]) -> Result<(String, String, String), String> {
    let read = |name: &str| environment.iter().find(|(known, _)| *known == name).map(|(_, value)| value.to_string());
    let settings = Settings::find(arguments, read, "mybot").map_err(|error| error.to_string())?;
    Ok((settings.server, settings.token, settings.name))
}

fn found(server: &str, token: &str, name: &str) -> Result<(String, String, String), String> {
    Ok((server.into(), token.into(), name.into()))
}

const ENVIRONMENT: [(&str, &str); 3] =
    [("LASTCARD_SERVER", "here:1"), ("LASTCARD_TOKEN", "secret"), ("LASTCARD_BOT", "joe")];

#[test]
fn the_environment_says_where_and_who() {
    assert_eq!(find(Arguments::default(), &ENVIRONMENT), found("here:1", "secret", "joe"));
}

#[test]
fn arguments_win_over_the_environment() {
    let arguments = Arguments { server: Some("there:2".into()), token: Some(String::new()), name: Some("jane".into()) };
    assert_eq!(find(arguments, &ENVIRONMENT), found("there:2", "", "jane"));
}

#[test]
fn the_type_s_name_is_taken_only_without_a_token() {
    assert_eq!(find(Arguments::default(), &ENVIRONMENT[..1]), found("here:1", "", "mybot"));
    assert_eq!(find(Arguments::default(), &ENVIRONMENT[..2]), found("here:1", "secret", ""));
    assert_eq!(find(Arguments::default(), &[ENVIRONMENT[0], ("LASTCARD_BOT", "")]), found("here:1", "", "mybot"));
}

#[test]
fn a_server_must_be_named() {
    let missing = "no server is named; set LASTCARD_SERVER to host:port, or pass a server";
    assert_eq!(find(Arguments::default(), &ENVIRONMENT[1..]), Err(missing.into()));
    assert_eq!(find(Arguments::default(), &[("LASTCARD_SERVER", "")]), Err(missing.into()));
}

#[test]
fn addresses_are_host_and_port() {
    for good in ["127.0.0.1:7600", "localhost:1", "[::1]:65535", "my-host_2.example:80"] {
        assert!(Settings::new(good, "", "me").is_ok(), "{good}");
    }
    for bad in
        ["", "host", "host:", ":80", "host:0", "host:65536", "host:+80", "http://host:80", "a b:80", "[]:1", "[x]:1"]
    {
        let error = Settings::new(bad, "", "me").expect_err(bad).to_string();
        assert_eq!(error, format!("server '{bad}' is no address; give host:port, for example 127.0.0.1:7777"));
    }
}

#[test]
fn a_token_is_used_as_it_was_given_out() {
    for (token, sign, place) in [("ab cd", " ", 2), ("ab\n", "\\n", 2), ("ä", "ä", 0)] {
        let error = Settings::new("host:1", token, "").expect_err(token).to_string();
        assert_eq!(error, format!("the token has '{sign}' at place {place}; use it as it was given out"));
    }
}

#[test]
fn names_are_short_and_plain() {
    let long = "n".repeat(64);
    for good in ["a", "A-b_c.9", long.as_str()] {
        assert!(Settings::new("host:1", "", good).is_ok(), "{good}");
    }
    let longer = "n".repeat(65);
    for bad in ["", "a b", "ü", longer.as_str()] {
        let error = Settings::new("host:1", "", bad).expect_err(bad).to_string();
        assert_eq!(error, format!("'{bad}' is no name for a bot; use 1 to 64 letters, digits, '-', '_' or '.'"));
    }
    assert!(Settings::new("host:1", "token", "").is_ok());
    assert!(Settings::new("host:1", "token", "a b").is_err());
}

#[test]
fn settings_do_not_show_their_token() {
    let shown = format!("{:?}", Settings::new("host:1", "hush", "me").expect("valid settings"));
    assert!(shown.contains("host:1") && !shown.contains("hush"), "{shown}");
}
