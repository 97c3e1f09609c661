// The messages of the protocol that bots meet, under short names: `lastcard::View` is `lastcard::v1::View`.
#pragma once

#include <google/protobuf/repeated_ptr_field.h>

#include "lastcard/v1/action.pb.h"
#include "lastcard/v1/card.pb.h"
#include "lastcard/v1/event.pb.h"
#include "lastcard/v1/play_service.pb.h"
#include "lastcard/v1/reason.pb.h"
#include "lastcard/v1/table.pb.h"
#include "lastcard/v1/view.pb.h"

namespace lastcard {

using v1::Action;
using v1::Decision;
using v1::Event;
using v1::Notice;
using v1::Receipt;
using v1::Seated;
using v1::TableClosed;
using v1::TableSnapshot;
using v1::View;
using enum v1::ActionKind;
using enum v1::Card;
using enum v1::Color;
using enum v1::DecisionKind;

/// What a bot may do: `Decision::legal_actions`.
using Actions = google::protobuf::RepeatedPtrField<Action>;

}  // namespace lastcard
