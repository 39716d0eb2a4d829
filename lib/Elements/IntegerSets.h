// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sets of integer tuples.
//
// Sets and relations of integer tuples that Presburger formulas describe, as
// isl decides them: exactly, for integers of any size. Every result of an
// operation that failed, or that reached the bound, is null; what is asked of
// a null object is not decided. Nothing outside of lib/Elements includes isl.

#ifndef HLOBUF_ELEMENTS_INTEGERSETS_H
#define HLOBUF_ELEMENTS_INTEGERSETS_H

#include "Elements/IntegerType.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>
#include <isl/aff.h>
#include <isl/map.h>
#include <isl/mat.h>
#include <isl/set.h>
#include <optional>

namespace hlobuf {

/// Yes or no; nothing if it was not decided within the bound.
using Decision = std::optional<bool>;

namespace detail {
/// Another reference to an object, and the end of one.
inline isl_set *copyOf(isl_set *S) { return isl_set_copy(S); }
inline isl_map *copyOf(isl_map *M) { return isl_map_copy(M); }
inline isl_pw_aff *copyOf(isl_pw_aff *P) { return isl_pw_aff_copy(P); }
inline void release(isl_set *S) { isl_set_free(S); }
inline void release(isl_map *M) { isl_map_free(M); }
inline void release(isl_pw_aff *P) { isl_pw_aff_free(P); }
inline Decision decision(isl_bool B) {
  return B == isl_bool_error ? Decision() : Decision(B == isl_bool_true);
}

/// Owns one object of isl.
template <typename T> class IslObject {
public:
  IslObject() = default;
  /// Takes ownership of \p Owned.
  explicit IslObject(T *Owned) : Object(Owned) {}
  IslObject(const IslObject &Other) : Object(Other.copy()) {}
  IslObject(IslObject &&Other) noexcept : Object(Other.take()) {}
  IslObject &operator=(IslObject Other) noexcept {
    std::swap(Object, Other.Object);
    return *this;
  }
  ~IslObject() { release(Object); }

  explicit operator bool() const { return Object != nullptr; }
  /// For functions of isl that keep their argument.
  T *get() const { return Object; }
  /// For those that take it, and leave this one as it is.
  T *copy() const { return Object ? copyOf(Object) : nullptr; }
  /// The same, where this one is not needed any more.
  T *take() { return std::exchange(Object, nullptr); }

private:
  T *Object = nullptr;
};
} // namespace detail

/// Owns what all sets of one thread have in common, and bounds the work.
class IntegerSets {
public:
  IntegerSets();
  ~IntegerSets();
  IntegerSets(const IntegerSets &) = delete;
  IntegerSets &operator=(const IntegerSets &) = delete;

  isl_ctx *context() const { return Context; }
  /// From here on at most \p Operations of isl succeed, the same ones on every
  /// machine.
  void bound(unsigned long Operations);
  /// The bound was reached since it was set.
  bool isExceeded() const;

private:
  isl_ctx *Context;
};

class IntegerMap;

/// A set of integer tuples of one length, for given values of its parameters.
/// A set of tuples of length 0 without a space is one of parameters alone.
class IntegerSet : public detail::IslObject<isl_set> {
public:
  using IslObject::IslObject;

  Decision isEmpty() const { return detail::decision(isl_set_is_empty(get())); }
  IntegerSet intersect(const IntegerSet &Other) const {
    return IntegerSet(isl_set_intersect(copy(), Other.copy()));
  }
  IntegerSet unite(const IntegerSet &Other) const {
    return IntegerSet(isl_set_union(copy(), Other.copy()));
  }
  IntegerSet subtract(const IntegerSet &Other) const {
    return IntegerSet(isl_set_subtract(copy(), Other.copy()));
  }
  IntegerSet intersectParameters(const IntegerSet &Parameters) const {
    return IntegerSet(isl_set_intersect_params(copy(), Parameters.copy()));
  }
  IntegerSet coalesce() const { return IntegerSet(isl_set_coalesce(copy())); }
  /// The tuples that are in the set for some values of the parameters.
  IntegerSet forSomeParameters() const {
    return IntegerSet(isl_set_project_out_all_params(copy()));
  }
  /// The values of the parameters for which there is a tuple.
  IntegerSet parameters() const { return IntegerSet(isl_set_params(copy())); }
  /// What \p Map relates the tuples to.
  IntegerSet apply(const IntegerMap &Map) const;
  /// Smallest and largest value of dimension \p D over all tuples and values of
  /// parameters; nothing if there is no such value, or if it is not decided.
  std::optional<std::pair<int64_t, int64_t>> bounds(unsigned D) const;
};

/// A relation between integer tuples.
class IntegerMap : public detail::IslObject<isl_map> {
public:
  using IslObject::IslObject;

  Decision isEmpty() const { return detail::decision(isl_map_is_empty(get())); }
  Decision isSubset(const IntegerMap &Other) const {
    return detail::decision(isl_map_is_subset(get(), Other.get()));
  }
  /// First this relation, then \p Next.
  IntegerMap then(const IntegerMap &Next) const {
    return IntegerMap(isl_map_apply_range(copy(), Next.copy()));
  }
  IntegerMap reverse() const { return IntegerMap(isl_map_reverse(copy())); }
  IntegerMap intersect(const IntegerMap &Other) const {
    return IntegerMap(isl_map_intersect(copy(), Other.copy()));
  }
  IntegerMap unite(const IntegerMap &Other) const {
    return IntegerMap(isl_map_union(copy(), Other.copy()));
  }
  IntegerMap subtract(const IntegerMap &Other) const {
    return IntegerMap(isl_map_subtract(copy(), Other.copy()));
  }
  IntegerMap intersectDomain(const IntegerSet &S) const {
    return IntegerMap(isl_map_intersect_domain(copy(), S.copy()));
  }
  IntegerMap subtractDomain(const IntegerSet &S) const {
    return IntegerMap(isl_map_subtract_domain(copy(), S.copy()));
  }
  IntegerMap intersectRange(const IntegerSet &S) const {
    return IntegerMap(isl_map_intersect_range(copy(), S.copy()));
  }
  IntegerMap subtractRange(const IntegerSet &S) const {
    return IntegerMap(isl_map_subtract_range(copy(), S.copy()));
  }
  IntegerMap intersectParameters(const IntegerSet &Parameters) const {
    return IntegerMap(isl_map_intersect_params(copy(), Parameters.copy()));
  }
  IntegerMap coalesce() const { return IntegerMap(isl_map_coalesce(copy())); }
  IntegerSet domain() const { return IntegerSet(isl_map_domain(copy())); }
  IntegerSet range() const { return IntegerSet(isl_map_range(copy())); }
  /// The values of the parameters for which there is a pair.
  IntegerSet parameters() const { return IntegerSet(isl_map_params(copy())); }
  /// Number of convex pieces.
  unsigned pieces() const {
    return get() ? static_cast<unsigned>(isl_map_n_basic_map(get())) : 0;
  }
  /// Numbers of the parameters that the relation depends on, ascending.
  SmallVector<unsigned, 4> usedParameters() const;

  /// Every tuple of length \p Rank with itself.
  static IntegerMap identity(const IntegerSets &Sets, unsigned Rank);
  /// All pairs of \p Domain and \p Range.
  static IntegerMap product(const IntegerSet &Domain, const IntegerSet &Range) {
    return IntegerMap(
        isl_map_from_domain_and_range(Domain.copy(), Range.copy()));
  }
};

/// Values of parameters, by number.
using ParameterValues = SmallVector<std::pair<unsigned, int64_t>, 4>;

/// One point of \p Parameters, a set of parameters alone; nothing if there is
/// none within 64 bits, or if it is not decided.
std::optional<ParameterValues> samplePoint(const IntegerSet &Parameters);
/// The point with the least values, or the greatest ones: first those of the
/// parameters \p First, in that order.
std::optional<ParameterValues> extremePoint(const IntegerSet &Parameters,
                                            ArrayRef<unsigned> First,
                                            bool Greatest);

/// What a term of a linear expression counts.
enum class TermKind : uint8_t {
  In = isl_dim_in,
  Out = isl_dim_out,
  Parameter = isl_dim_param,
  Inner = isl_dim_div
};

/// Factor * variable number Index.
struct LinearTerm {
  TermKind Kind = TermKind::In;
  unsigned Index = 0;
  int64_t Factor = 1;
};

/// A constant, or a parameter.
struct SymbolicIndex {
  int64_t Constant = 0;
  std::optional<unsigned> Parameter;
};

/// Builds a relation from linear constraints, all of which must hold.
class RelationBuilder {
public:
  /// From tuples of length \p In to those of length \p Out.
  RelationBuilder(const IntegerSets &Sets, unsigned In, unsigned Out)
      : Sets(Sets), In(In), Out(Out) {}

  /// A variable of which some value in [0, \p Size) must do.
  LinearTerm addInner(int64_t Size);
  /// The sum of \p Terms and \p Constant is 0.
  void equal(ArrayRef<LinearTerm> Terms, int64_t Constant = 0);
  /// \p A is \p B + \p Distance.
  void apart(LinearTerm A, LinearTerm B, SymbolicIndex Distance);
  /// The sum of \p Terms and \p Constant is not negative.
  void notNegative(ArrayRef<LinearTerm> Terms, int64_t Constant = 0);
  /// \p Begin <= variable < \p Begin + \p Size.
  void within(TermKind Kind, unsigned Index, SymbolicIndex Begin, int64_t Size);

  IntegerMap map();
  /// The tuples that are related to some tuple.
  IntegerSet domain() { return map().domain(); }

private:
  struct Row {
    bool Equal;
    SmallVector<LinearTerm, 6> Terms;
    int64_t Constant;
  };
  /// The rows of one kind; its columns are the parameters \p Used, both tuples,
  /// inner variables, the constant.
  isl_mat *matrix(ArrayRef<unsigned> Used, bool Equal) const;

  const IntegerSets &Sets;
  unsigned In;
  unsigned Out;
  unsigned Inner = 0;
  SmallVector<Row, 8> Rows;
};

/// A number that depends on parameters: affine on each of several pieces.
class SymbolicNumber : public detail::IslObject<isl_pw_aff> {
public:
  using IslObject::IslObject;
  static SymbolicNumber constant(const IntegerSets &Sets, int64_t Value);
  /// \p Value, of the same sets; null where this is.
  SymbolicNumber number(int64_t Value) const;
  static SymbolicNumber parameter(const IntegerSets &Sets, unsigned Number);

  SymbolicNumber add(const SymbolicNumber &Other) const {
    return SymbolicNumber(isl_pw_aff_add(copy(), Other.copy()));
  }
  SymbolicNumber subtract(const SymbolicNumber &Other) const {
    return SymbolicNumber(isl_pw_aff_sub(copy(), Other.copy()));
  }
  SymbolicNumber negate() const {
    return SymbolicNumber(isl_pw_aff_neg(copy()));
  }
  /// One of the two must be the same number everywhere.
  SymbolicNumber multiply(const SymbolicNumber &Other) const {
    return SymbolicNumber(isl_pw_aff_mul(copy(), Other.copy()));
  }
  SymbolicNumber least(const SymbolicNumber &Other) const {
    return SymbolicNumber(isl_pw_aff_min(copy(), Other.copy()));
  }
  SymbolicNumber greatest(const SymbolicNumber &Other) const {
    return SymbolicNumber(isl_pw_aff_max(copy(), Other.copy()));
  }
  /// Quotient and remainder of division towards zero by a positive constant.
  SymbolicNumber quotient(const SymbolicNumber &Divisor) const {
    return SymbolicNumber(isl_pw_aff_tdiv_q(copy(), Divisor.copy()));
  }
  SymbolicNumber remainder(const SymbolicNumber &Divisor) const {
    return SymbolicNumber(isl_pw_aff_tdiv_r(copy(), Divisor.copy()));
  }
  /// The remainder of floor division by 2^\p Bits, from \p Bits = 0 on.
  SymbolicNumber modulo(unsigned Bits) const;
  SymbolicNumber shiftLeft(unsigned Bits) const;
  /// Divided by 2^\p Bits and rounded down.
  SymbolicNumber shiftRight(unsigned Bits) const;
  /// \p Yes where this is not 0, else \p No.
  SymbolicNumber select(const SymbolicNumber &Yes,
                        const SymbolicNumber &No) const {
    return SymbolicNumber(isl_pw_aff_cond(copy(), Yes.copy(), No.copy()));
  }
  /// The parameters for which this compares so with \p Other.
  IntegerSet where(CompareDirection C, const SymbolicNumber &Other) const;
  /// 1 for the parameters in \p S, 0 for others.
  static SymbolicNumber indicator(const IntegerSet &S) {
    return SymbolicNumber(isl_set_indicator_function(S.copy()));
  }
  SymbolicNumber restrict(const IntegerSet &Parameters) const {
    return SymbolicNumber(
        isl_pw_aff_intersect_params(copy(), Parameters.copy()));
  }
  /// This number, or \p Other where only that one is defined.
  SymbolicNumber unite(const SymbolicNumber &Other) const {
    return SymbolicNumber(isl_pw_aff_union_add(copy(), Other.copy()));
  }
  /// All values that the number has.
  IntegerSet values() const;
  /// The number, if it is the same for all parameters and fits 64 bits.
  std::optional<int64_t> constant() const;
};

} // namespace hlobuf

#endif // HLOBUF_ELEMENTS_INTEGERSETS_H
