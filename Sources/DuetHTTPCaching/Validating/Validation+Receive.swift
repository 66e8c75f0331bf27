package import HTTPTypes

extension Validation {
    /// What the answer to ``request`` means for what is stored (RFC 9111, sections 4.3.3 and 4.3.4).
    package func receive(_ answer: HTTPResponse, at times: ExchangeTimes, by policy: HTTPCachePolicy)
        -> ValidationResult
    {
        if let failure = OriginFailure(answer) { return .failed(failure) }
        guard answer.status == .notModified else { return .replaced }
        let confirmed = confirmed(by: answer, at: times)
        guard !confirmed.isEmpty, request != original || !isConditional(original) else { return .unmatched }
        // Without one that fits the request, the first is the one that the origin chose for it (section 4.1).
        guard let answering = selected ?? confirmed.first, confirmed.contains(answering) else { return .unmatched }
        let updates = confirmed.map { stored in
            let request = stored == answering ? original : nil
            return Freshened.Update(
                old: stored,
                new: policy.updated(stored, by: answer, at: times, selectedBy: request)
            )
        }
        guard let new = updates.first(where: { $0.old == answering })?.new else { return .unmatched }
        return .freshened(
            Freshened(answer: new, updates: updates, isStorable: policy.mayKeep(new, for: original))
        )
    }

    /// Those with the same strong validator, or the one with the same weak one; and the only one that was asked about, when
    /// the answer says nothing.
    ///
    /// The last goes beyond section 4.3.4 when that one has a validator, because section 15.4.5 of RFC 9110 does not have
    /// origins repeat `Last-Modified`.
    private func confirmed(by answer: HTTPResponse, at times: ExchangeTimes) -> [StoredResponse] {
        let fields = CachingFields(answer.headerFields, received: times.received)
        if let tag = fields.entityTag {
            guard tag.isWeak else {
                return candidates.filter { $0.fields.entityTag.map { $0.matchesStrongly(tag) } ?? false }
            }
            return mostRecent { $0.fields.entityTag.map { $0.matchesWeakly(tag) } ?? false }
        }
        if let lastModified = fields.lastModified {
            return mostRecent { $0.fields.lastModified == lastModified }
        }
        return candidates.count == 1 ? candidates : []
    }

    private func mostRecent(where matches: (StoredResponse) -> Bool) -> [StoredResponse] {
        let matching = candidates.filter(matches)
        return matching.max { $1.isMoreRecent(than: $0) }.map { [$0] } ?? []
    }

    private func isConditional(_ request: HTTPRequest) -> Bool {
        Self.conditions.contains(where: request.headerFields.contains)
    }
}
