import HTTPTypes

/// A request for something that may be stored, with what is stored under its key.
///
/// A class, because it goes with all that is done for it, and has dozens of words to be copied.
final class Question: Sendable {
    let request: HTTPRequest
    let key: HTTPCacheKey
    let entries: [HTTPCacheEntry]
    /// How many loads had finished before the entries were read; nil where nothing stored is to answer.
    let finishedLoads: Int?
    /// How many removals of everything, or of all below a URL, had begun before it was asked.
    let removals: Int
    let origin: Origin

    init(
        request: HTTPRequest,
        key: HTTPCacheKey,
        entries: [HTTPCacheEntry],
        finishedLoads: Int?,
        removals: Int,
        origin: Origin
    ) {
        self.request = request
        self.key = key
        self.entries = entries
        self.finishedLoads = finishedLoads
        self.removals = removals
        self.origin = origin
    }

    var responses: [StoredResponse] { entries.map(\.response) }

    /// Whether something is stored for such requests that is no failure of the origin.
    var hasAnswer: Bool {
        responses.contains { !StatusCode.isFailure($0.response.status.code) && $0.selection.matches(request) }
    }

    func id(of stored: StoredResponse) -> HTTPCacheEntry.ID? {
        if entries.count == 1 { return entries[0].id }
        return entries.first { $0.response == stored }?.id
    }

    /// The same with another request.
    func asking(_ request: HTTPRequest) -> Question {
        Question(
            request: request,
            key: key,
            entries: entries,
            finishedLoads: finishedLoads,
            removals: removals,
            origin: origin
        )
    }

    /// What it has to have in common with others to share a load; nil when its answer may be meant for it alone.
    var sharingKey: LoadTable.Key? {
        guard request.method == .get, !Self.ownFields.contains(where: request.headerFields.contains) else { return nil }
        let newest = entries.first?.response.response.headerFields
        return LoadTable.Key(
            key: key,
            variant: newest.map { SelectingFields($0, of: request).key } ?? "",
            isStreamed: origin.isStreamed
        )
    }

    /// What one client asks, which need not be what the others ask.
    private static let ownFields: [HTTPField.Name] = [
        .cacheControl, .range, .ifRange, .ifMatch, .ifNoneMatch, .ifModifiedSince, .ifUnmodifiedSince,
    ]
}
