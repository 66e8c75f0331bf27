package import HTTPTypes

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
        // Usually nothing is removed or added.
        let isAsReceived =
            response.headerFields.contains(.date) && head.headerFields.count == response.headerFields.count
        return .store(
            StoredResponse(
                method: request.method == .head ? .head : .get,
                selection: selection,
                response: head,
                times: times,
                fields: isAsReceived ? fields : nil
            )
        )
    }

    private func refusal(of response: HTTPResponse, _ fields: CachingFields, to request: HTTPRequest) -> NotStored? {
        let status = response.status.code
        let control = control(of: fields)
        let lifetime = freshnessLifetime(of: fields, status: status)
        guard mayStore(answerTo: request, response, lifetime) else { return .method }
        guard (200...999).contains(status), !StatusCode.isNeverStored(status) else { return .status }
        // Ranges only apply to GET (RFC 9110, section 14.2).
        if status == 206,
            request.method == .head || ContentRange(response) == nil || request.headerFields[.range] == nil
        {
            return .range
        }
        if CacheControl(request.headerFields).noStore { return .noStore }
        if control.mustUnderstand {
            guard StatusCode.isUnderstood(status) else { return .notUnderstood }
        } else if control.noStore {
            return .noStore
        }
        if isShared {
            if control.isPrivate == .response { return .private }
            if request.headerFields.contains(.authorization), !mayShareAuthorized(control) { return .authorization }
        }
        guard lifetime.isExplicit || isCacheable(status, control), mayShareCookie(fields, control, lifetime) else {
            return .notCacheable
        }
        return isUsable(fields, control, lifetime) ? nil : .noFreshness
    }

    /// Whether a response may be stored without an explicit lifetime.
    private func isCacheable(_ status: Int, _ control: CacheControl) -> Bool {
        control.isPublic || !isShared && control.isPrivate != nil || StatusCode.isHeuristicallyCacheable(status)
    }

    /// A cookie may be meant for one user.
    ///
    /// A shared cache stores it only with `public` or an explicit lifetime (section
    /// 7.3).
    private func mayShareCookie(_ fields: CachingFields, _ control: CacheControl, _ lifetime: FreshnessLifetime) -> Bool
    {
        guard isShared, fields.setsCookie, !control.isPublic else { return true }
        // Such a field is not stored.
        if control.isPrivate?.names.contains(.setCookie) == true { return true }
        return lifetime.isExplicit && lifetime.seconds > 0 && control.noCache != .response
    }

    /// RFC 9110, sections 8.7 and 9.3.1 to 9.3.3: a successful response to POST answers GET if it declares that and its
    /// lifetime.
    private func mayStore(
        answerTo request: HTTPRequest,
        _ response: HTTPResponse,
        _ lifetime: FreshnessLifetime
    ) -> Bool {
        switch request.method {
        case .get, .head: true
        case .post:
            lifetime.isExplicit && response.status.kind == .successful && response.status.code != 206
                && response.headerFields[fields: .contentLocation].first.flatMap { CacheKey($0, relativeTo: request) }
                    .map { $0 == CacheKey(request) } ?? false
        default: false
        }
    }

    /// RFC 9111, section 3.5.
    private func mayShareAuthorized(_ control: CacheControl) -> Bool {
        control.isPublic || control.mustRevalidate || control.sharedMaxAge != nil
    }

    /// Whether the response can be used for any request: now, after validation, or when its origin fails.
    private func isUsable(_ fields: CachingFields, _ control: CacheControl, _ lifetime: FreshnessLifetime) -> Bool {
        if fields.entityTag != nil || fields.lastModified != nil { return true }
        guard control.noCache != .response, lifetime.source != .none else { return false }
        return lifetime.seconds > 0 || control.mayBeStale(isShared: isShared)
    }
}
