import DuetHTTP
import Foundation
package import HTTPTypes

package enum StoringDecision: Sendable, Hashable {
    /// The response to store, still without its body.
    case store(StoredResponse)
    case refuse(NotStored)

    package var stored: StoredResponse? {
        if case .store(let stored) = self { stored } else { nil }
    }

    package var refusal: NotStored? {
        if case .refuse(let reason) = self { reason } else { nil }
    }
}

extension HTTPCachePolicy {
    /// Decides whether a response may be stored, and with which head (RFC 9111, section 3).
    package func storing(
        _ response: HTTPResponse,
        to request: HTTPRequest,
        at times: ExchangeTimes
    ) -> StoringDecision {
        let fields = CachingFields(response.headerFields, received: times.received)
        if let reason = refusal(of: response, fields, to: request) { return .refuse(reason) }
        let selection = SelectingFields(response.headerFields, of: request)
        guard !selection.isUnmatchable else { return .refuse(.vary) }
        let head = storedHead(of: response, at: times.received)
        // The parsed fields are still valid if no field was removed or added, which is the usual case.
        let isAsReceived =
            response.headerFields.contains(.date) && head.headerFields.count == response.headerFields.count
        return .store(
            StoredResponse(
                selection: selection,
                response: head,
                times: times,
                fields: isAsReceived ? fields : nil
            )
        )
    }

    private func refusal(of response: HTTPResponse, _ fields: CachingFields, to request: HTTPRequest) -> NotStored? {
        let status = response.status.code
        let control = fields.control
        let lifetime = freshnessLifetime(of: fields, status: status)
        guard mayStore(responseTo: request, response, lifetime) else { return .method }
        guard (200...999).contains(status), !StatusCode.isNeverStored(status) else { return .status }
        if response.isEventStream { return .eventStream }
        if CacheControl(request.headerFields).noStore { return .noStore }
        if control.mustUnderstand {
            guard StatusCode.isUnderstood(status) else { return .notUnderstood }
        } else if control.noStore {
            return .noStore
        }
        let isCacheable = control.isPublic || control.isPrivate || StatusCode.isHeuristicallyCacheable(status)
        guard lifetime.isExplicit || isCacheable else { return .notCacheable }
        guard isUsable(fields, control, lifetime) else { return .noFreshness }
        // An error that was never fresh does not replace a value that a failing origin needs.
        let isUseful = status < 400 || lifetime.seconds > 0 || fields.entityTag != nil || fields.lastModified != nil
        return isUseful ? nil : .noFreshness
    }

    /// Whether responses to the method may be stored (RFC 9110, sections 8.7 and 9.3.1 to 9.3.3).
    ///
    /// A successful response to POST can be reused for GET if `Content-Location` is its own URI and its lifetime is
    /// explicit.
    private func mayStore(
        responseTo request: HTTPRequest,
        _ response: HTTPResponse,
        _ lifetime: FreshnessLifetime
    ) -> Bool {
        switch request.method {
        case .get: true
        case .post:
            lifetime.isExplicit && response.status.kind == .successful && response.status.code != 206
                && response.headerFields[fields: .contentLocation].first.flatMap { TargetURI($0, relativeTo: request) }
                    .map { $0 == TargetURI(request) } ?? false
        default: false
        }
    }

    /// Whether the response can ever be reused: now, after validation, or when the origin fails.
    private func isUsable(_ fields: CachingFields, _ control: CacheControl, _ lifetime: FreshnessLifetime) -> Bool {
        if fields.entityTag != nil || fields.lastModified != nil { return true }
        guard control.noCache != .response, lifetime.source != .none else { return false }
        return lifetime.seconds > 0 || control.mayBeStale
    }
}

extension HTTPCachePolicy {
    /// The head with the fields to store and a date (RFC 9111, section 3.1; RFC 9110, section 6.6.1).
    func storedHead(of response: HTTPResponse, at received: Date) -> HTTPResponse {
        var head = response
        head.headerFields = storedFields(of: response.headerFields)
        if !head.headerFields.contains(.date) { head.headerFields[.date] = HTTPDate.text(received) }
        return head
    }

    func storedFields(of fields: HTTPFields) -> HTTPFields {
        var removed = Self.connectionFields
        for member in fields[values: .connection].flatMap(FieldList.members) {
            if let name = HTTPField.Name(member.text), !Self.decisiveFields.contains(name) { removed.insert(name) }
        }
        return fields.contains { removed.contains($0.name) }
            ? HTTPFields(fields.filter { !removed.contains($0.name) }) : fields
    }

    /// Fields that always concern one connection, whatever `Connection` contains (RFC 9110, section 7.6.1).
    package static let connectionFields: Set<HTTPField.Name> = [
        .connection, .known("Keep-Alive"), .known("Proxy-Connection"), .te, .transferEncoding, .upgrade,
        .proxyAuthenticate, .proxyAuthenticationInfo, .proxyAuthorization,
    ]

    /// Fields that never concern one connection, whatever `Connection` contains (RFC 9110, section 7.6.1).
    ///
    /// Removing one would change how a response may be used.
    package static let decisiveFields: Set<HTTPField.Name> = [
        .age, .cacheControl, .contentEncoding, .contentLength, .contentLocation,
        .contentRange, .contentType, .date, .eTag, .expires, .lastModified, .vary,
    ]
}

extension HTTPResponse {
    /// Whether the body has no end that anybody waits for.
    fileprivate var isEventStream: Bool {
        headerFields[.contentType]?.lowercased().hasPrefix("text/event-stream") == true
    }
}
