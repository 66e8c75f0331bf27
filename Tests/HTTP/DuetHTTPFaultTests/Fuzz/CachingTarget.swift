import DuetHTTP
import DuetHTTPCaching
import Foundation
import FuzzTesting
import HTTPTypes

/// The rules of caching and their parsers: for any request and response, numbers stay in bounds and invariants hold.
enum CachingTarget {
    private static let start = Date(timeIntervalSince1970: 1_700_000_000)

    /// Times of requests before and after storing; the last ones are beyond any real clock.
    private static let moments: [Double] = [0, -3, 59, 60, 1e5, 1e300, -.infinity, .nan]

    /// The length of two long heads; each is read a hundred times, while other tests run.
    private static let longest = 8_192

    static func read(_ input: [UInt8]) -> FuzzVerdict {
        guard input.count <= longest, let exchange = FuzzedExchange(input) else { return .elsewhere }
        for field in exchange.request.headerFields + exchange.response.headerFields {
            if let fault = fault(inValue: field) { return .fault(fault) }
        }
        return fault(in: exchange, by: HTTPCachePolicy()).map(FuzzVerdict.fault) ?? .fine
    }

    /// Each field alone, whatever its name, because a parser may receive anything.
    private static func fault(inValue field: HTTPField) -> String? {
        let control = CacheControl([field.value, field.value])
        let numbers = [control.maxAge, control.minFresh, control.maxStale, control.staleIfError]
        if let number = numbers.compactMap({ $0 }).first(where: { !isCount($0) }) {
            return "A directive has \(number)"
        }
        if let tag = EntityTag(field.value), !tag.matchesWeakly(tag) || tag.matchesStrongly(tag) == tag.isWeak {
            return "A tag is not itself: \(tag)"
        }
        if let date = HTTPDate.parse(field.value, now: start), HTTPDate.parse(HTTPDate.text(date), now: start) != date {
            return "A date is not \(date)"
        }
        return fault(inStatus: field.value)
    }

    /// A parsed line is written so that it parses to the same value.
    private static func fault(inStatus line: String) -> String? {
        var response = HTTPResponse(status: .ok)
        response.headerFields[.cacheStatus] = line
        guard let first = response.cacheStatus else { return nil }
        response.headerFields[.cacheStatus] = "\(first)"
        let second = response.cacheStatus
        let text = second.map { "\($0)" }
        return text == "\(first)" ? nil : "\(first) was read back as \(text ?? "nothing")"
    }

    private static func fault(in exchange: FuzzedExchange, by policy: HTTPCachePolicy) -> String? {
        let (request, response) = (exchange.request, exchange.response)
        for key in policy.invalidated(by: request, answered: response) + [TargetURI(request)].compactMap({ $0 })
        where !key.uri.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) {
            return "A key is \(key.uri)"
        }
        for moment in moments {
            let times = ExchangeTimes(requested: start, received: start + moment)
            let fields = CachingFields(response.headerFields, received: times.received)
            let lifetime = policy.freshnessLifetime(of: fields, status: response.status.code).seconds
            guard isCount(fields.age), isCount(lifetime) else { return "It is \(fields.age) old and lives \(lifetime)" }
        }
        let times = ExchangeTimes(requested: start, received: start + 0.5)
        guard let head = policy.storing(response, to: request, at: times).stored else { return nil }
        let stored = head.with(Data("hello".utf8))
        for moment in moments {
            let lookup = policy.lookup(in: [stored], for: request, at: start + moment)
            if let fault = fault(in: lookup, of: stored, exchange, by: policy) { return fault }
            guard let hit = policy.reuseAfterFailure(of: stored, for: request, at: start + moment) else { continue }
            if let fault = fault(in: hit, request) { return fault }
        }
        return nil
    }

    private static func fault(
        in lookup: Lookup,
        of stored: StoredResponse,
        _ exchange: FuzzedExchange,
        by policy: HTTPCachePolicy
    ) -> String? {
        switch lookup {
        case .hit(let hit):
            return fault(in: hit, exchange.request)
        case .fetch(let fetch):
            let times = ExchangeTimes(requested: start + 70, received: start + 71)
            var answer = exchange.response
            answer.status = .notModified
            guard case .confirmed(let new) = fetch.interpret(answer, at: times, by: policy) else { return nil }
            return new.old == stored && new.new.body == stored.body ? nil : "A 304 made it \(new.new)"
        case .gatewayTimeout:
            return nil
        }
    }

    private static func fault(in hit: Hit, _ request: HTTPRequest) -> String? {
        guard isCount(hit.age), isCount(hit.lifetime) else { return "It is \(hit.age) old and lives \(hit.lifetime)" }
        guard hit.stored.selection.matches(request) else { return "It answers another request" }
        let head = hit.head(for: request)
        guard head.headerFields[values: .age] == ["\(hit.age)"] else { return "Its age is not \(hit.age)" }
        return head.status == hit.stored.response.status || head.status == .notModified ? nil : "It is \(head.status)"
    }

    private static func isCount(_ number: Int) -> Bool {
        (0...DeltaSeconds.limit).contains(number)
    }

    /// Words with a meaning for a cache.
    static let tokens = [
        "Cache-Control: ", "Vary: ", "Cache-Status: ", "Age: ", "Date: ", "Expires: ", "Last-Modified: ", "ETag: ",
        "Content-Type: ", "Content-Length: ", "If-None-Match: ", "If-Modified-Since: ", "Warning: ", "Pragma: ",
        "Connection: ", "Location: ", "Content-Location: ", "Accept-Language: ", "Authorization: ", "Set-Cookie: ",
        "max-age=", "no-cache", "no-store", "private", "public", "must-revalidate", "must-understand", "immutable",
        "only-if-cached", "min-fresh=", "max-stale", "stale-if-error=", "text/event-stream", "-", "*", "/", ";", "W/",
        "\"a\"", "2147483647", "2147483648",
        "9223372036854775807", "18446744073709551616", "3600.5", "Sun, 06 Nov 1994 08:49:37 GMT",
        "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994", "Sat, 01 Jan 0000 00:00:00 GMT",
        "Fri, 31 Dec 9999 23:59:59 GMT", "Sun, 29 Feb 1999 24:60:61 GMT", "hit", "fwd=stale", "?1", ":YQ==:", "@1",
        "%\"a\"",
        "\n", "\n\n", "200", "206", "304", "503", "GET ", "POST ", "\t",
    ]
}
