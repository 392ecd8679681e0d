#pragma once

#include <functional>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace scalelaw {

/// The options of a call and its words, by their names ("--run", "-x", "KIND").
struct CallOptions {
  std::map<std::string, std::vector<std::string>> given;  ///< As the user gave them.
  std::map<std::string, std::string> usual;  ///< Of all that the command has: the default, or "".

  /// Whether the user gave it, and not as empty text or, of a flag, as false.
  bool uses(const std::string& option) const;
  /// The value that counts: the one given, several with commas, else the default.
  std::string value(const std::string& option) const;
};

/// Whether a call is of a kind, and what tells it, such as the name of a law.
struct KindFound {
  bool holds;
  std::string what;
};

/// A kind of call, such as one with a law of several x.
struct CallKind {
  std::string words;  ///< "a law of several x"; it is known by them.
  /// Nothing where the call does not tell: then no rule about the kind applies.
  std::function<std::optional<KindFound>(const CallOptions&)> find;
};

/// What a rule is about: an option that is used ("--run"), one with some values ("--pool=slopes",
/// "--se=cluster|cr2"; a default counts, but not as the subject of a rule), one that is used with
/// other values ("--pool!=none"), or a kind of call. Of several it is the first that is there.
class CallCase {
 public:
  struct Part {
    std::string option;               ///< Empty: a kind.
    std::vector<std::string> values;  ///< Empty: any.
    bool others = false;              ///< Any but these values.
    CallKind kind = {};
  };
  /// What holds, as sentences say it.
  struct Found {
    std::string words;  ///< "--pool slopes".
    std::string value;  ///< "slopes".
  };

  CallCase(const char* option) : CallCase({option}) {}
  CallCase(std::initializer_list<const char*> options);
  CallCase(const CallKind& kind) : parts_{{.option = {}, .values = {}, .kind = kind}} {}

  const std::vector<Part>& parts() const { return parts_; }
  /// Each part in words: "--pool slopes", "--run", "a law of several x".
  std::vector<std::string> words() const;
  /// The first part that holds. @param is_used  Defaults do not count.
  std::optional<Found> found(const CallOptions& call, bool is_used = false) const;
  /// That no part holds, with the value that is there instead; nothing where one holds, or the
  /// command and the call do not tell.
  std::optional<Found> missing(const CallOptions& call) const;

 private:
  std::vector<Part> parts_;
};

/// A rule on options that are used together.
struct OptionRule {
  enum class Kind { kExcludes, kNeeds, kOnlyFor };

  CallCase subject;
  Kind kind;
  CallCase other;
  /// The whole sentence with {0} for the subject, {1} for the other and {2} for the value of the
  /// other; or the reason, which the usual sentence for the kind ends with ("both say ..." gives a
  /// sentence of its own). Empty: the sentence has no reason.
  std::string text;
  std::optional<CallCase> when = {};    ///< It holds for such calls only,
  std::optional<CallCase> unless = {};  ///< and not for these.

  /// What is wrong with a call and what to do about it; nothing if it keeps the rule.
  std::optional<std::string> refusal(const CallOptions& call) const;
};

/// The rules of a command, in the order in which they are checked.
class OptionRules {
 public:
  /// Rules about one subject.
  class About {
   public:
    About(std::vector<OptionRule>& rules, CallCase subject)
        : rules_(&rules), subject_(std::move(subject)) {}
    About& excludes(CallCase other, std::string text = "") {
      return add(OptionRule::Kind::kExcludes, std::move(other), std::move(text));
    }
    About& needs(CallCase other, std::string text = "") {
      return add(OptionRule::Kind::kNeeds, std::move(other), std::move(text));
    }
    About& only_for(CallCase other, std::string text = "") {
      return add(OptionRule::Kind::kOnlyFor, std::move(other), std::move(text));
    }
    /// What is said from here on holds for such calls only.
    About& when(CallCase scope) { return when_ = std::move(scope), *this; }
    About& unless(CallCase scope) { return unless_ = std::move(scope), *this; }

   private:
    About& add(OptionRule::Kind kind, CallCase other, std::string text) {
      rules_->push_back({subject_, kind, std::move(other), std::move(text), when_, unless_});
      return *this;
    }

    std::vector<OptionRule>* rules_;
    CallCase subject_;
    std::optional<CallCase> when_ = {};
    std::optional<CallCase> unless_ = {};
  };

  About about(CallCase subject) { return {rules_, std::move(subject)}; }
  const std::vector<OptionRule>& all() const { return rules_; }
  /// @throws DataError for the first rule that the call breaks.
  void check(const CallOptions& call) const;

 private:
  std::vector<OptionRule> rules_;
};

/// The rules of commands as a table in Markdown: option, commands, what it excludes, what it needs
/// and what it is only for.
struct RulesOfCommand {
  std::string command;
  std::vector<std::string> options;  ///< That it has: rules about others are left out.
  const OptionRules* rules;
};
std::string rules_table(const std::vector<RulesOfCommand>& commands);

}  // namespace scalelaw
