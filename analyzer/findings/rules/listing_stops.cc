#include "analyzer/findings/rules/rules.h"

namespace dstap::analyzer {
namespace {

// Limits: the last listing of each store and source.
class ListingStops final : public Rule {
 public:
  using Rule::Rule;

  void OnCall(const SeenCall& seen) override {
    const bool is_list =
        seen.call.method == Method::kListKeysAsync ||
        seen.call.method == Method::kListDataStoresAsync ||
        seen.call.method == Method::kListVersionsAsync ||
        (seen.call.method == Method::kGetSortedAsync && seen.call.source->role == "tool");
    if (!is_list || seen.call.list == nullptr || seen.failed) return;
    const ListArguments& list = *seen.call.list;
    if (!list.page || !list.items || !list.page_size) return;
    Listing& listing = listings_[seen.lane];
    if (*list.page == 1) {
      End(listing);
      listing.source = seen.call.source;
      listing.step = seen.step_name;
      listing.family = seen.family;
      listing.time = seen.issued();
    }
    if (listing.source == nullptr) return;
    ++listing.pages;
    listing.items += *list.items;
    listing.is_full = *list.items > 0 && *list.items == *list.page_size;
    listing.evidence.Add(seen.call.id);
  }

  void OnRecordingEnd(const Recording& /*recording*/) override {
    for (size_t lane = 0; lane < listings_.size(); ++lane) End(listings_[lane]);
  }
  void ForgetLane(size_t lane) override { End(listings_[lane]); }

 private:
  struct Listing {
    const Source* source = nullptr;
    size_t step = 0;
    size_t family = 0;
    Time time{};
    uint64_t pages = 0;
    uint64_t items = 0;
    bool is_full = false;  // The last page.
    Evidence evidence;
  };

  void End(Listing& listing) {
    if (listing.source != nullptr && listing.is_full) {
      Report(
          {.source = listing.source,
           .step = host().StepAt(listing.step),
           .family = listing.family,
           .confidence = Confidence::kInferred,
           .severity = std::nullopt,
           .text = fmt::format("{} with {} were read, the last one was full, and no other page was "
                               "asked for",
                               Count(listing.pages, "page"), Count(listing.items, "item")),
           .evidence = std::move(listing.evidence),
           .time = listing.time,
           .weight = static_cast<double>(listing.items)});
    }
    listing = Listing();
  }

  Slots<Listing> listings_;
};

}  // namespace

constinit const RuleEntry kListingStops = {
    .id = "listing-stops-early",
    .severity = Severity::kWarning,
    .title = "A listing stops at a full page",
    .meaning = "Whatever worked through the list has seen a part of it.",
    .evidence =
        "A listing whose last page was full, and no request for the next one. A recording "
        "does not hold the service's own mark for the next page, so the list may just have "
        "had that length. Sorted reads count for tools only: a game wants the first page.",
    .fix = "Go on until the service says that the listing is finished; an empty page is no end.",
    .source = "A field report of a client that returned no cursor",
    .make = &MakeRule<ListingStops>};

}  // namespace dstap::analyzer
